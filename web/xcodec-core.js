// SPDX-License-Identifier: BSD-2-Clause
//
// The decoder in the thread that calls it: loads a module, and turns files into samples or PNG
// files. xcodec-worker.js and xcodec-sw.js import it; it needs nothing of a page and runs in Node,
// too. web/module.c has the other side, and the order of what it puts into its results.

const names = ['success', 'argument', 'memory', 'limit', 'format', 'truncated', 'corrupt',
	'unsupported', 'device', 'io', 'cancelled'];
const subsamplings = ['4:2:0', '4:2:2', '4:4:4', 'grey'];
const transforms = ['dct', 'lot', 'tdlt', 'none'];
const entropies = ['huffman', 'rans', 'none', 'lossless'];

/** A failure of the library; `status` is its number and `code` its name, such as "truncated". */
export class XCError extends Error {
	constructor(status, message) {
		super(message || names[status] || `status ${status}`);
		this.name = 'XCError';
		this.status = status;
		this.code = names[status] ?? 'unknown';
	}
}

// (module (func (result v128) i32.const 0 i8x16.splat i8x16.popcnt))
const simdProbe = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0,
	10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);

export const hasSimd = () => WebAssembly.validate(simdProbe);

async function instantiate(source, imports) {
	if (source instanceof WebAssembly.Module)
		return WebAssembly.instantiate(source, imports);
	if (source instanceof ArrayBuffer || ArrayBuffer.isView(source))
		return (await WebAssembly.instantiate(source, imports)).instance;
	const response = await fetch(source);
	if (!response.ok)
		throw new Error(`${source}: ${response.status} ${response.statusText}`);
	// Servers that do not know the type would fail instantiateStreaming().
	return (await WebAssembly.instantiate(await response.arrayBuffer(), imports)).instance;
}

/** Loads "simd", "scalar" or "encoder" from beside this file, or what `from` gives. */
export async function load(kind = hasSimd() ? 'simd' : 'scalar',
	from = new URL(`xcodec-${kind}.wasm`, import.meta.url)) {
	let memory;
	// The modules have no environment, no signals, and measure no times.
	const instance = await instantiate(from, {
		wasi_snapshot_preview1: {
			clock_time_get: () => 52,
			environ_get: () => 0,
			environ_sizes_get(count, bytes) {
				const view = new DataView(memory.buffer);
				view.setUint32(count, 0, true);
				view.setUint32(bytes, 0, true);
				return 0;
			},
		},
		env: {emscripten_notify_memory_growth() {}, __call_sighandler() {}},
	});
	memory = instance.exports.memory;
	instance.exports._initialize();
	return new Core(instance.exports, kind);
}

const pick = (o, min, max, otherwise, name) => {
	const n = o ?? otherwise;
	if (!Number.isInteger(n) || n < min || n > max)
		throw new XCError(1, `${name} must be ${min} to ${max}`);
	return n;
};

class Core {
	constructor(exports, kind) {
		this.x = exports;
		this.kind = kind;
	}

	/** Bytes of memory that the module holds, which never decrease. */
	get memory() {
		return this.x.memory.buffer.byteLength;
	}

	get version() {
		return this.#text(this.x.version());
	}

	#bytes(at, size) {
		return new Uint8Array(this.x.memory.buffer, at, size);
	}

	#text(at) {
		const all = new Uint8Array(this.x.memory.buffer, at);
		return new TextDecoder().decode(all.subarray(0, all.indexOf(0)));
	}

	#fields(n) {
		return new Uint32Array(this.x.memory.buffer, this.x.results(), n);
	}

	check(status) {
		if (status)
			throw new XCError(status, this.#text(this.x.message()));
	}

	/** Copies bytes into the module's memory, for what `run` does with their place and size. */
	with(bytes, run) {
		const at = this.x.reserve(bytes.length + 1) >>> 0;
		if (!at)
			throw new XCError(2);
		try {
			this.#bytes(at, bytes.length).set(bytes);
			return run(at, bytes.length);
		} finally {
			this.x.release(at);
		}
	}

	infoAt(at, size) {
		this.check(this.x.info(at, size));
		const f = this.#fields(31);
		const blob = i => f[i] ? this.#bytes(f[i], f[i + 1]).slice() : undefined;
		return {
			width: f[0], height: f[1], channels: f[2], depth: f[3],
			subsampling: subsamplings[f[4]], transform: transforms[f[5]], entropy: entropies[f[6]],
			lossless: !!f[7], quality: f[8], maxError: f[9], segments: f[10], tileHeight: f[11],
			density: f[12] ? {x: f[12], y: f[13], unit: f[14]} : undefined,
			gamma: f[15] || undefined,
			primaries: f[16] || f[17] ? [...f.slice(16, 24)] : undefined,
			cicp: f[24] ? [f[24] & 255, f[24] >> 8 & 255, f[24] >> 16 & 255, f[24] >>> 24] : undefined,
			icc: blob(25), exif: blob(27), xmp: blob(29),
		};
	}

	/** view: the samples are the module's own, until its next call. */
	decodeAt(at, size, {channels = 0, keepGoing = false, scale = 1, region, view = false} = {}) {
		const r = region ?? {x: 0, y: 0, width: 0, height: 0}, max = 2 ** 32 - 1;
		if (region)
			for (const name of ['x', 'y', 'width', 'height'])
				pick(r[name], name < 'x' ? 1 : 0, max, undefined, `region.${name}`);
		this.check(this.x.decode(at, size, pick(channels, 0, 4, 0, 'channels'), keepGoing ? 1 : 0,
			pick(scale, 1, 8, 1, 'scale'), r.x, r.y, r.width, r.height));
		const [width, height, n, depth, stride, data, damaged] = this.#fields(7);
		const own = this.#bytes(data, stride * height), bytes = view ? own : own.slice();
		if (!view)
			this.x.drop();
		return {width, height, channels: n, depth, damaged,
			data: depth === 16 ? new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2) : bytes};
	}

	/** How many rows of a file that is not complete yet can be decoded, and their damaged segments. */
	rowsAt(at, size) {
		this.check(this.x.rows(at, size));
		const [rows, damaged] = this.#fields(2);
		return {rows, damaged};
	}

	info(bytes) {
		return this.with(bytes, (at, size) => this.infoAt(at, size));
	}

	/** Samples: Uint8Array or Uint16Array, without padding. */
	decode(bytes, options) {
		return this.with(bytes, (at, size) => this.decodeAt(at, size, options));
	}

	/** The file of a picture as decode() gives it, or of an ImageData. */
	encode(picture, {quality = 0, lossless, effort = -1} = {}) {
		if (this.kind !== 'encoder')
			throw new XCError(7, 'this module only decodes');
		const {width, height} = picture;
		let {channels = 4, data} = picture;
		const depth = data.BYTES_PER_ELEMENT * 8;
		if (data.length !== width * height * channels)
			throw new XCError(1, 'the samples do not fit width and height');
		if (!picture.channels && data.every((v, i) => i % 4 < 3 || v === 255)) {
			// An ImageData has alpha even if nobody needs it.
			channels = 3;
			data = data.filter((_, i) => i % 4 < 3);
		}
		const mode = lossless === undefined ? 0 : lossless ? 2 : 1;
		return this.with(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at => {
			this.check(this.x.encode(at, width, height, channels, depth,
				pick(quality, 0, 100, 0, 'quality'), mode, pick(effort, -1, 3, -1, 'effort')));
			const [file, size] = this.#fields(2);
			return this.#bytes(file, size).slice();
		});
	}
}

/**
 * Decodes a file whose bytes come one after another: rows(picture, y) gets the rows as they become
 * known, from the upper one on. It gets a picture of less than 64 rows only at the end.
 */
export class Growing {
	#core; #at = 0; #size = 0; #room = 0; #options; #found; #rows; #given = 0; #due = 0;

	/** found(info) is called before the first rows.  options: keepGoing, channels. */
	constructor(core, options, {found, rows}) {
		this.#core = core;
		this.#options = options ?? {};
		this.#found = found;
		this.#rows = rows;
	}

	push(bytes) {
		const {x} = this.#core;
		if (this.#size + bytes.length > this.#room) {
			const room = Math.max(2 * this.#room, this.#size + bytes.length, 1 << 16);
			const at = x.reserve(room) >>> 0;
			if (!at)
				throw new XCError(2);
			new Uint8Array(x.memory.buffer).copyWithin(at, this.#at, this.#at + this.#size);
			x.release(this.#at);
			this.#at = at;
			this.#room = room;
		}
		new Uint8Array(x.memory.buffer).set(bytes, this.#at + this.#size);
		this.#size += bytes.length;
		// The work of looking grows with the file, so it waits for a part of it.
		if (this.#size >= this.#due) {
			this.#due = this.#size + Math.max(4096, this.#size >> 4);
			this.#look();
		}
	}

	#look() {
		// Rows near the end depend on segments below them: lapped transforms and chroma reach 10 rows.
		const margin = 16, min = 64;
		let known;
		try {
			this.info ??= this.#core.infoAt(this.#at, this.#size);
			known = this.#core.rowsAt(this.#at, this.#size);
		} catch (e) {
			// The header is not complete, or the file is one that is decoded as a whole.
			if (e instanceof XCError)
				return;
			throw e;
		}
		const end = known.rows < this.info.height ? known.rows - margin : 0;
		if (end - this.#given >= min && (this.#options.keepGoing || !known.damaged))
			this.#give(end, true);
	}

	#give(end, keepGoing) {
		const {width} = this.info, y = this.#given;
		const picture = this.#core.decodeAt(this.#at, this.#size, {...this.#options, keepGoing,
			region: {x: 0, y, width, height: end - y}});
		if (!y)
			this.#found?.(this.info);
		this.#given = end;
		this.#rows(picture, y);
		return picture.damaged;
	}

	/** The rest, and what only the whole file tells. Throws what decode() would. */
	end() {
		try {
			this.info ??= this.#core.infoAt(this.#at, this.#size);
			const damaged = this.#give(this.info.height, !!this.#options.keepGoing);
			let all = {damaged};
			try {
				all = this.#core.rowsAt(this.#at, this.#size);
			} catch (e) {
				if (e.code !== 'unsupported')
					throw e;
			}
			if (all.damaged && !this.#options.keepGoing)
				throw new XCError(6, 'a segment is damaged');
			return {info: this.info, damaged: all.damaged};
		} finally {
			this.free();
		}
	}

	/** In place of end(): the whole picture and its info, with other options. */
	whole(options) {
		try {
			return {info: this.#core.infoAt(this.#at, this.#size),
				picture: this.#core.decodeAt(this.#at, this.#size, options)};
		} finally {
			this.free();
		}
	}

	free() {
		this.#core.x.release(this.#at);
		this.#at = this.#size = this.#room = 0;
	}
}

// ------------------------------------------------------------------------ PNG

// Four tables, for four bytes at a time.
const crcs = new Int32Array(1024);
for (let i = 0; i < 1024; i++) {
	let n = i < 256 ? i : crcs[i - 256];
	for (let k = 0; k < 8; k++)
		n = n & 1 ? n >>> 1 ^ 0xedb88320 : n >>> 1;
	crcs[i] = n;
}

function crc32(bytes, i, end) {
	let crc = -1;
	for (; i + 4 <= end; i += 4) {
		crc ^= bytes[i] | bytes[i + 1] << 8 | bytes[i + 2] << 16 | bytes[i + 3] << 24;
		crc = crcs[768 + (crc & 255)] ^ crcs[512 + (crc >>> 8 & 255)] ^
			crcs[256 + (crc >>> 16 & 255)] ^ crcs[crc >>> 24];
	}
	for (; i < end; i++)
		crc = crcs[(crc ^ bytes[i]) & 255] ^ crc >>> 8;
	return ~crc;
}

function chunk(type, ...parts) {
	const size = parts.reduce((n, p) => n + p.length, 0), all = new Uint8Array(size + 12);
	const view = new DataView(all.buffer);
	view.setUint32(0, size);
	for (let i = 0; i < 4; i++)
		all[4 + i] = type.charCodeAt(i);
	let at = 8;
	for (const p of parts) {
		all.set(p, at);
		at += p.length;
	}
	view.setUint32(at, crc32(all, 4, at));
	return all;
}

const numbers = (...n) => {
	const bytes = new Uint8Array(4 * n.length), view = new DataView(bytes.buffer);
	n.forEach((x, i) => view.setUint32(4 * i, x));
	return bytes;
};

function adler(sum, bytes) {
	let a = sum & 65535, b = sum >>> 16;
	for (let i = 0; i < bytes.length;) {
		// The most additions before b can exceed 2^32.
		for (const end = Math.min(i + 5552, bytes.length); i < end; i++)
			b += a += bytes[i];
		a %= 65521;
		b %= 65521;
	}
	return (b * 65536 + a) >>> 0;
}

/** Blocks of deflate that only store; last: 1 ends the stream. */
function stored(bytes, last) {
	const blocks = [];
	for (let i = 0; i < bytes.length || !i;) {
		const part = bytes.subarray(i, i + 65535), n = part.length;
		i += n || 1;
		blocks.push(new Uint8Array([last && i >= bytes.length ? 1 : 0, n & 255, n >> 8,
			~n & 255, ~n >> 8 & 255]), part);
	}
	return blocks;
}

/**
 * A PNG file, part by part: begin, rows in their order, end. Samples are stored, because whoever
 * asked for it reads it at once. Keeps the profile, other descriptions of colour, and EXIF.
 */
export class PngWriter {
	#sum = 1; #row; #depth;

	constructor(info) {
		this.info = info;
		this.#depth = info.depth;
		this.#row = info.width * info.channels * info.depth / 8;
	}

	begin() {
		const {width, height, channels, depth, icc, gamma, primaries, cicp, exif} = this.info;
		const head = [new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]),
			chunk('IHDR', numbers(width, height), [depth, [0, 0, 4, 2, 6][channels], 0, 0, 0])];
		if (cicp)
			head.push(chunk('cICP', cicp));
		if (icc)
			head.push(chunk('iCCP', [105, 99, 99, 0, 0, 0x78, 1], ...stored(icc, 1), numbers(adler(1, icc))));
		if (gamma)
			head.push(chunk('gAMA', numbers(gamma)));
		if (primaries)
			head.push(chunk('cHRM', numbers(...primaries)));
		if (exif)
			head.push(chunk('eXIf', exif));
		head.push(chunk('IDAT', [0x78, 1]));
		return head;
	}

	rows({data, height}) {
		const row = this.#row, all = new Uint8Array(height * (row + 1));
		let bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
		if (this.#depth === 16) {
			bytes = bytes.slice();
			for (let i = 0; i < bytes.length; i += 2)
				[bytes[i], bytes[i + 1]] = [bytes[i + 1], bytes[i]];
		}
		for (let y = 0; y < height; y++)
			all.set(bytes.subarray(y * row, (y + 1) * row), y * (row + 1) + 1);
		this.#sum = adler(this.#sum, all);
		return [chunk('IDAT', ...stored(all, 0))];
	}

	end() {
		return [chunk('IDAT', ...stored(new Uint8Array(0), 1), numbers(this.#sum)), chunk('IEND')];
	}
}

/** The parts of the PNG file of a picture. */
export function png(info, picture) {
	const {width, height, channels, depth} = picture;
	const w = new PngWriter({...info, width, height, channels, depth});
	return [...w.begin(), ...w.rows(picture), ...w.end()];
}

// ------------------------------------------------------------- for canvases

/** Samples as those of an ImageData: RGBA of 8 bits. The picture must have 4 channels. */
export function rgba({data, depth}) {
	if (depth === 8)
		return new Uint8ClampedArray(data.buffer, data.byteOffset, data.length);
	// 257 divides 65535: rounded to the nearest.
	return Uint8ClampedArray.from(data, v => (v + 128) / 257 | 0);
}

/** 1: the samples are not those of an sRGB picture, so the browser converts them; it may turn them, too. */
export function needsBrowser(info) {
	const srgb = info.cicp && info.cicp[0] === 1 && info.cicp[1] === 13;
	return !srgb && !!(info.cicp || info.icc || info.gamma && Math.abs(info.gamma - 45455) > 500 ||
		info.primaries) || orientation(info.exif) > 1;
}

/** The orientation of an EXIF blob, 1 to 8; 1 where it has none. */
export function orientation(exif) {
	if (!exif || exif.length < 14)
		return 1;
	const view = new DataView(exif.buffer, exif.byteOffset, exif.length), le = exif[0] === 0x49;
	const at = view.getUint32(4, le);
	if (at + 2 > exif.length)
		return 1;
	for (let i = 0, n = view.getUint16(at, le); i < n && at + 14 + 12 * i <= exif.length; i++) {
		const entry = at + 2 + 12 * i;
		if (view.getUint16(entry, le) === 0x112) {
			const value = view.getUint16(entry + 8, le);
			return value >= 1 && value <= 8 ? value : 1;
		}
	}
	return 1;
}
