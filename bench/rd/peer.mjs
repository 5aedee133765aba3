// SPDX-License-Identifier: BSD-2-Clause
//
// usage: node peer.mjs encode CODING EFFORT SUBSAMPLING QUALITY PNG FILE
//        node peer.mjs decode CODING FILE PNG
//        node peer.mjs version CODING
//
// Codecs of npm's packages, found in the folders NODE_PATH: CODING avif-iq (libaom, tuned for image
// quality), avif-ssim, mozjpeg or webp of sharp, jxl of wasm-vips.  EFFORT is the codec's own:
// libaom's speed, WebP's method; mozjpeg ignores it.  QUALITY is a distance for jxl.
// bench/rd/point calls it.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
const [task, coding, ...rest] = process.argv.slice(2);
const [kind, tune] = coding.split('-');

function encodeBySharp(png, effort, chromaSubsampling, quality) {
	const picture = load('sharp')(png);

	if (kind === 'avif') // sharp counts efforts from 0 to 9, libaom speeds from 9 to 0
		return picture.avif({ tune, quality, effort: 9 - effort, chromaSubsampling, bitdepth: 10 });
	return kind === 'webp' ? picture.webp({ quality, effort })
	                       : picture.jpeg({ mozjpeg: true, quality, chromaSubsampling });
}

// AVIF's ten bits are not cut to eight.
function decodeBySharp(file) {
	const picture = load('sharp')(file);

	return (kind === 'avif' ? picture.toColourspace('rgb16') : picture).png({ compressionLevel: 1 });
}

async function writeByVips(from, to, suffix, options) {
	const vips = await load('wasm-vips')({ dynamicLibraries: ['vips-jxl.wasm'] });

	fs.writeFileSync(to, vips.Image.newFromBuffer(fs.readFileSync(from)).writeToBuffer(suffix, options));
	vips.shutdown();
}

function version() {
	const name = kind === 'avif' ? 'aom' : kind;

	return `${name}-${(kind === 'jxl' ? load('wasm-vips/versions') : load('sharp').versions)[name]}`;
}

if (task === 'version') {
	console.log(version());
} else if (task === 'encode') {
	const [effort, subsampling, quality, png, file] = rest;

	await (kind === 'jxl'
		? writeByVips(png, file, '.jxl', { distance: +quality, effort: +effort })
		: encodeBySharp(png, +effort, subsampling, +quality).toFile(file));
} else {
	await (kind === 'jxl' ? writeByVips(rest[0], rest[1], '.png', { compression: 1 })
	                      : decodeBySharp(rest[0]).toFile(rest[1]));
}
