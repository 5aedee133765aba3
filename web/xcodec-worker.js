// SPDX-License-Identifier: BSD-2-Clause
//
// The worker of xcodec.js: does what messages {id, method, args} ask for, one after another, and
// answers {id, result} or {id, error}. Rows of a picture that is growing come before as {id, rows, y}.

import {Growing, load, needsBrowser, orientation, png, rgba} from './xcodec-core.js';

// A module keeps its memory, so one that decoded a large picture is replaced.
const enough = 256 << 20;
const cores = {}, growing = new Map();

async function core(kind) {
	const name = kind ?? 'decoder', old = await cores[name];
	if (!old || (old.memory > enough && !growing.size)) {
		cores[name] = load(kind);
		cores[name].catch(() => delete cores[name]);
	}
	return cores[name];
}

const blobOf = (info, picture) => new Blob(png(info, picture), {type: 'image/png'});

/** The browser converts what has a profile, from a PNG file; else the samples are sRGB. */
const bitmapOf = (info, picture) => createImageBitmap(needsBrowser(info)
	? blobOf(info, picture) : new ImageData(rgba(picture), picture.width, picture.height));

async function resultOf(info, picture, as) {
	if (as === 'pixels')
		return [{...picture, info}, [picture.data.buffer]];
	if (as === 'blob')
		return [blobOf(info, picture)];
	if (as === 'imagedata' && !needsBrowser(info)) {
		const data = rgba(picture);
		return [{data, width: picture.width, height: picture.height}, [data.buffer]];
	}
	const bitmap = await bitmapOf(info, picture);
	if (as !== 'imagedata')
		return [bitmap, [bitmap]];
	const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
	canvas.drawImage(bitmap, 0, 0);
	const {data, width, height} = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
	return [{data, width, height}, [data.buffer]];
}

/** Pixels for a canvas have four channels; those of a PNG file are as in the file. What is not sent is copied
 * before the next message is done. */
const optionsFor = options => ({
	...options, channels: /^(pixels|blob)$/.test(options.as) ? options.channels : 4,
	view: !/^(pixels|imagedata)$/.test(options.as),
});

const methods = {
	async info(id, bytes) {
		return [(await core()).info(bytes)];
	},
	async decode(id, bytes, options) {
		const c = await core();
		return resultOf(c.info(bytes), c.decode(bytes, optionsFor(options)), options.as);
	},
	async encode(id, picture, options) {
		const file = (await core('encoder')).encode(picture, options);
		return [file, [file.buffer]];
	},
	async open(id, options) {
		const bands = [];
		const g = new Growing(await core(), {keepGoing: options.keepGoing, channels: 4}, {
			rows: (picture, y) => bands.push({picture, y}),
		});
		growing.set(id, {g, bands, options});
	},
	async push(id, bytes) {
		const {g, bands} = growing.get(id) ?? {};
		g?.push(bytes);
		// A picture that is turned would have its rows elsewhere.
		for (const {picture, y} of bands?.splice(0) ?? []) {
			if (orientation(g.info.exif) > 1)
				continue;
			const rows = await bitmapOf(g.info, picture);
			postMessage({id, rows, y, info: g.info}, [rows]);
		}
	},
	async end(id) {
		const {g, options} = growing.get(id);
		growing.delete(id);
		const {info, picture} = g.whole(optionsFor(options));
		return resultOf(info, picture, options.as);
	},
	async close(id) {
		growing.get(id)?.g.free();
		growing.delete(id);
	},
};

async function answer({id, method, args}) {
	try {
		const [result, transfer] = await methods[method](id, ...args) ?? [];
		if (!['open', 'push', 'close'].includes(method))
			postMessage({id, result}, transfer ?? []);
	} catch (e) {
		growing.get(id)?.g.free();
		growing.delete(id);
		postMessage({id, error: {status: e.status, message: e.message}});
	}
}

let last = Promise.resolve();
onmessage = ({data}) => {
	last = last.then(() => answer(data));
};
