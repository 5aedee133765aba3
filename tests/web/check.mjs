// SPDX-License-Identifier: BSD-2-Clause
//
// The cases of check.sh in headless Chromium: what the installed package in FOLDER makes of
// FOLDER/files/*.xc must be what the command makes of them. Prints a line for each case.
//
//	node check.mjs FOLDER
//	node check.mjs --large FILE     writes a PPM of more than 2^23 pixels

import {execFileSync, spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {createReadStream, existsSync, readFileSync, readdirSync, statSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {createRequire} from 'node:module';
import {extname, join} from 'node:path';
import {deflateSync, gzipSync} from 'node:zlib';

const [, , folder, largeFile] = process.argv;

if (folder === '--large') {
	const width = 2960, height = 2848, data = Buffer.alloc(3 * width * height);
	for (let i = 0, y = 0; y < height; y++)
		for (let x = 0; x < width; x++, i += 3) {
			data[i] = x * y >> 15;
			data[i + 1] = 128 + 100 * Math.sin(x / 40 + y / 90);
			data[i + 2] = (x >> 3 ^ y >> 3) + 60;
		}
	writeFileSync(largeFile, Buffer.concat([Buffer.from(`P6 ${width} ${height} 255\n`), data]));
	process.exit(0);
}

const xcodec = process.env.XCODEC, files = join(folder, 'files');
const {chromium} = createRequire(join(process.env.XC_NODE_MODULES, 'x.js'))('playwright-core');

function check(name, wanted, found) {
	const same = JSON.stringify(wanted) === JSON.stringify(found);
	if (!same)
		console.log(`# wanted ${JSON.stringify(wanted)}\n# found  ${JSON.stringify(found)}`);
	console.log(`${same ? 'ok' : 'not ok'} - ${name}`);
}

// --------------------------------------------------- what the command says

const sha = bytes => createHash('sha256').update(bytes).digest('hex');

/** {width, height, channels, depth, sha} of samples in little-endian order, or {message}. */
function expected(name, ...options) {
	const out = join(files, 'out.pam');
	const run = spawnSync(xcodec, ['decode', '-f', ...options, join(files, `${name}.xc`), out],
		{encoding: 'utf8'});
	if (run.status && !options.includes('-k'))
		return {message: run.stderr.trim()};
	const all = readFileSync(out), end = all.indexOf('ENDHDR\n') + 7;
	const field = key => +new RegExp(`${key} (\\d+)`).exec(all.toString('latin1', 0, end))[1];
	const depth = field('MAXVAL') > 255 ? 16 : 8, data = Buffer.from(all.subarray(end));
	return {width: field('WIDTH'), height: field('HEIGHT'), channels: field('DEPTH'), depth,
		sha: sha(depth === 16 ? data.swap16() : data)};
}

// ------------------------------------------------------------- PNG and ICC

function pngChunk(type, data) {
	const body = Buffer.concat([Buffer.from(type), data]), out = Buffer.alloc(body.length + 8);
	let crc = -1;
	for (let byte of body)
		for (let k = 0, b = byte; k < 8; k++, b >>= 1)
			crc = (crc ^ b) & 1 ? crc >>> 1 ^ 0xedb88320 : crc >>> 1;
	out.writeUInt32BE(data.length);
	body.copy(out, 4);
	out.writeInt32BE(~crc, out.length - 4);
	return out;
}

/** 80x72 pixels of a few saturated colours, with these chunks. */
function colourPng(...chunks) {
	const head = Buffer.from([0, 0, 0, 80, 0, 0, 0, 72, 8, 2, 0, 0, 0]), rows = [];
	for (let y = 0; y < 72; y++) {
		rows.push(0);
		for (let x = 0; x < 80; x++)
			rows.push(x < 40 ? 200 : 20, y < 36 ? 40 : 160, x % 40 < 20 ? 30 : 90);
	}
	return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), pngChunk('IHDR', head), ...chunks,
		pngChunk('IDAT', deflateSync(Buffer.from(rows))), pngChunk('IEND', Buffer.alloc(0))]);
}

/** An ICC profile of three primaries (D50, s15Fixed16) and gamma 2.2. */
function profile(primaries) {
	const xyz = v => Buffer.concat([Buffer.from('XYZ \0\0\0\0', 'latin1'),
		...v.map(n => { const b = Buffer.alloc(4); b.writeInt32BE(Math.round(n * 65536)); return b; })]);
	const curve = Buffer.from('curv\0\0\0\0\0\0\0\x01\x02\x33\0\0', 'latin1');
	const text = Buffer.concat([Buffer.from('desc\0\0\0\0\0\0\0\x02x\0', 'latin1'), Buffer.alloc(78)]);
	const tags = [['desc', text], ['cprt', Buffer.from('text\0\0\0\0x\0\0\0', 'latin1')],
		['wtpt', xyz([0.9642, 1, 0.8249])], ['rXYZ', xyz(primaries[0])], ['gXYZ', xyz(primaries[1])],
		['bXYZ', xyz(primaries[2])], ['rTRC', curve], ['gTRC', curve], ['bTRC', curve]];
	const table = Buffer.alloc(4 + 12 * tags.length), head = Buffer.alloc(128);
	let at = head.length + table.length;
	table.writeUInt32BE(tags.length);
	tags.forEach(([name, data], i) => {
		table.write(name, 4 + 12 * i, 'latin1');
		table.writeUInt32BE(at, 8 + 12 * i);
		table.writeUInt32BE(data.length, 12 + 12 * i);
		at += data.length;
	});
	head.writeUInt32BE(at, 0);
	head.writeUInt32BE(0x02100000, 8);
	head.write('mntrRGB XYZ ', 12, 'latin1');
	head.write('acsp', 36, 'latin1');
	[0.9642, 1, 0.8249].forEach((n, i) => head.writeInt32BE(Math.round(n * 65536), 68 + 4 * i));
	return Buffer.concat([head, table, ...tags.map(([, data]) => data)]);
}

// sRGB's primaries, of which red and blue have changed places.
const swapped = profile([[0.1431, 0.0606, 0.7141], [0.3851, 0.7169, 0.0971], [0.4361, 0.2225, 0.0139]]);
const coloured = {
	p3: colourPng(pngChunk('cICP', Buffer.from([12, 13, 0, 1]))),
	icc: colourPng(pngChunk('iCCP', Buffer.concat([Buffer.from('x\0\0'), deflateSync(swapped)]))),
	turned: colourPng(pngChunk('eXIf', Buffer.from('MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0', 'latin1'))),
};
for (const [name, png] of Object.entries(coloured)) {
	writeFileSync(join(files, `${name}.png`), png);
	execFileSync(xcodec, ['encode', '--quiet', '--lossless', join(files, `${name}.png`), join(files, `${name}.xc`)]);
}

// ------------------------------------------------------------------- server

const types = {'.js': 'text/javascript', '.html': 'text/html', '.wasm': 'application/wasm',
	'.png': 'image/png'};
const server = createServer((request, response) => {
	const url = new URL(request.url, 'http://x'), path = join(folder, url.pathname);
	if (!existsSync(path) || statSync(path).isDirectory()) {
		response.writeHead(404).end();
		return;
	}
	response.writeHead(200, {'Content-Type': types[extname(path)] ?? 'application/octet-stream'});
	// ?slow: in sixteen parts, so that pictures grow.
	if (url.searchParams.has('slow')) {
		const all = readFileSync(path), step = Math.ceil(all.length / 16);
		const send = at => {
			response.write(all.subarray(at, at + step));
			if (at + step < all.length)
				setTimeout(send, 30, at + step);
			else
				response.end();
		};
		send(0);
	} else {
		createReadStream(path).pipe(response);
	}
});
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;

const browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox']});
const page = await browser.newPage();
if (process.env.VERBOSE)
	page.on('console', m => console.log(`# ${m.text()}`));
page.on('pageerror', e => check('no error in the page', '', String(e)));
await page.goto(`${origin}/page.html`);
await page.evaluate(async () => {
	const base = '/node_modules/xcodec';
	globalThis.core = await import(`${base}/xcodec-core.js`);
	globalThis.xc = await import(`${base}/xcodec.js`);
	globalThis.sha = async data => [...new Uint8Array(await crypto.subtle.digest('SHA-256', data))]
		.map(b => b.toString(16).padStart(2, '0')).join('');
	globalThis.bytes = async name => new Uint8Array(await (await fetch(`files/${name}.xc`)).arrayBuffer());
	globalThis.summary = async ({width, height, channels, depth, data}) =>
		({width, height, channels, depth, sha: await sha(data)});
	globalThis.drawn = async (source, width, height) => {
		const c = new OffscreenCanvas(width ?? source.width, height ?? source.height).getContext('2d');
		c.drawImage(source, 0, 0, c.canvas.width, c.canvas.height);
		return sha(c.getImageData(0, 0, c.canvas.width, c.canvas.height).data);
	};
	globalThis.loaded = element => new Promise((resolve, reject) => {
		element.addEventListener('load', resolve, {once: true});
		element.addEventListener('error', () => reject(new Error('error event')), {once: true});
	});
	globalThis.image = async url => {
		const img = new Image(), done = loaded(img);
		img.src = url;
		await done;
		return {width: img.naturalWidth, height: img.naturalHeight, sha: await drawn(img, img.naturalWidth, img.naturalHeight)};
	};
});

// -------------------------------------------------------------------- cases

const all = readdirSync(files).filter(f => f.endsWith('.xc')).map(f => f.slice(0, -3)).sort();

/** Decodes in the page with a module; {message} after a failure. */
const inPage = (kind, name, options) => page.evaluate(async ([k, n, o]) => {
	const c = (globalThis.cores ??= {})[k] ??= await core.load(k);
	try {
		return await summary(c.decode(await bytes(n), o));
	} catch (e) {
		if (!(e instanceof core.XCError))
			throw e;
		return {message: e.message, code: e.code};
	}
}, [kind, name, options]);

for (const kind of ['scalar', 'simd']) {
	const wasm = readFileSync(join(folder, `node_modules/xcodec/xcodec-${kind}.wasm`));
	check(`${kind}: at most 180 KB compressed`, true, gzipSync(wasm, {level: 9}).length <= 180e3);
	for (const name of all) {
		const wanted = expected(name), found = await inPage(kind, name);
		const {code, ...rest} = found;
		if (wanted.message)
			check(`${kind}: ${name}: the command's message (${code})`, true, !!code && wanted.message.includes(rest.message));
		else
			check(`${kind}: ${name}`, wanted, rest);
		if (wanted.message && name.startsWith('damaged') && code === 'corrupt' && name !== 'damaged-preset')
			check(`${kind}: ${name}, keepGoing`, expected(name, '-k'), await inPage(kind, name, {keepGoing: true}));
	}
	for (const name of ['default', 'lossless', 'huffman', 'kept', 'rgba-lossy', 'rgb16'])
		for (const scale of [2, 4, 8])
			check(`${kind}: ${name} at 1/${scale}`, expected(name, '--scale', `1/${scale}`), await inPage(kind, name, {scale}));
	for (const name of ['default', 'lot422', 'lossless', 'kept'])
		check(`${kind}: a region of ${name}`, expected(name, '--region', '301x203+77+111'),
			await inPage(kind, name, {region: {x: 77, y: 111, width: 301, height: 203}}));
}
// The test vectors: of the module, which has no arrays, pictures; of kept JPEGs, which are pictures to it, whether they decode.
const vectors = readFileSync(join(folder, 'vectors/MANIFEST'), 'utf8').split('\n').filter(l => l && l[0] !== '#').map(l => {
	const [file, what, shape, hash] = l.split(' '), [kind, damaged] = what.split(':');
	const [, width, height, channels, depth] = (/picture:(\d+)x(\d+)x(\d+)x(\d+)/.exec(shape) ?? []).map(Number);
	return {file, kind, damaged: +(damaged ?? 0), picture: width && {width, height, channels, depth, sha: hash}};
}).filter(v => !/^[a-z]+-(array|jpeg)/.test(v.file));
for (const kind of ['scalar', 'simd']) {
	const wrong = await page.evaluate(async ([k, list]) => {
		const codes = {bad: ['corrupt', 'truncated', 'format'], damaged: ['corrupt', 'truncated'],
			unsupported: ['unsupported'], limit: ['limit']};
		const wrong = [];
		for (const v of list) {
			const file = new Uint8Array(await (await fetch(`vectors/${v.file}`)).arrayBuffer());
			const decoded = async options => {
				try {
					const p = cores[k].decode(file, options);
					return {damaged: p.damaged, picture: await summary(p)};
				} catch (e) {
					return {code: e.code ?? String(e)};
				}
			};
			const right = r => r.damaged === v.damaged && JSON.stringify(r.picture) === JSON.stringify(v.picture);
			const plain = await decoded({}), good = v.kind === 'good' ? right(plain) : codes[v.kind].includes(plain.code);
			const going = v.kind === 'damaged' || v.kind === 'bad' ? await decoded({keepGoing: true}) : {};
			if (!good || (v.kind === 'damaged' && !right(going)) || (v.kind === 'bad' && going.picture))
				wrong.push([v.file, plain, going]);
		}
		return wrong;
	}, [kind, vectors]);
	check(`${kind}: ${vectors.length} test vectors`, [], wrong);
}
check('SIMD128 is found', 'simd', await page.evaluate(async () => (await core.load()).kind));
check('a file cut off, keepGoing', expected('cut', '-k'), await inPage('simd', 'cut', {keepGoing: true}));
check('a scale that does not exist', 'argument', (await inPage('simd', 'default', {scale: 3})).code);

check('decode() by workers, many at a time', all.filter(n => !expected(n).message).map(n => expected(n).sha),
	await page.evaluate(names => Promise.all(names.map(async n =>
		(await summary(await xc.decode(await bytes(n), {as: 'pixels'}))).sha)), all.filter(n => !expected(n).message)));
check('decode() throws an XCError', {code: 'format', status: 4}, await page.evaluate(() =>
	xc.decode('files/none.xc').catch(e => e instanceof xc.XCError && {code: e.code, status: e.status})));
check('decode() of a URL that does not exist', true, await page.evaluate(() =>
	xc.decode('files/absent.xc').catch(e => e.message.includes('404'))));
check('info()', {width: 33, height: 17, depth: 16, lossless: true}, await page.evaluate(async () => {
	const {width, height, depth, lossless} = await xc.info(await fetch('files/rgb16-exact.xc'));
	return {width, height, depth, lossless};
}));

for (const name of ['default', 'lossless', 'huffman', 'rgba-lossy', 'kept', 'large', 'icc']) {
	const [first, whole, bands] = await page.evaluate(async n => {
		const sums = [], whole = await xc.decode(await bytes(n));
		const c = new OffscreenCanvas(whole.width, whole.height).getContext('2d');
		const bitmap = await xc.decode(await fetch(`files/${n}.xc?slow`), {onrows({rows, y}) {
			sums.push([y, rows.height]);
			c.drawImage(rows, 0, y);
		}});
		// What came before the end must be as it is in the end.
		const known = sums.length ? sums.at(-1)[0] + sums.at(-1)[1] : 0, end = new OffscreenCanvas(whole.width, Math.max(known, 1));
		end.getContext('2d').drawImage(bitmap, 0, 0);
		const top = known ? await sha(c.getImageData(0, 0, whole.width, known).data) : 0;
		return [[top, await drawn(bitmap)], [known ? await drawn(end) : 0, await drawn(whole)], sums.length];
	}, name);
	check(`${name} grows to the same pixels`, whole, first);
	check(`${name} grows ${bands ? 'by rows' : 'at once'}`, ['default', 'huffman', 'kept', 'large'].includes(name), bands > 0);
}
check('a stream that is cut off', 'truncated', await page.evaluate(() =>
	fetch('files/cut.xc?slow').then(r => xc.decode(r, {onrows() {}})).catch(e => e.code)));
check('a stream that is aborted', 'AbortError', await page.evaluate(() => {
	const a = new AbortController();
	return xc.decode('files/large.xc?slow', {signal: a.signal, onrows: () => a.abort()}).catch(e => e.name);
}));

check('imagedata of an opaque picture', await page.evaluate(async () => {
	const p = await xc.decode(await bytes('default'), {as: 'pixels', channels: 4});
	return sha(p.data);
}), await page.evaluate(async () => sha((await xc.decode(await bytes('default'), {as: 'imagedata'})).data)));
for (const name of ['default', 'rgba', 'grey16', 'rgb16-exact', 'icc']) {
	const png = Buffer.from(await page.evaluate(async n =>
		[...new Uint8Array(await (await xc.decode(await bytes(n), {as: 'blob'})).arrayBuffer())], name));
	writeFileSync(join(files, 'blob.png'), png);
	const run = execFileSync(xcodec, ['compare', join(files, 'blob.png'), join(files, `${name}.xc`)], {encoding: 'utf8'});
	check(`a PNG file of ${name}`, true, /Identical +yes/.test(run));
	if (name === 'icc')
		check('it has the profile', true, png.includes(swapped));
}
// The browser shows the original as it shows what is decoded of it.
for (const name of Object.keys(coloured))
	check(`colours and orientation of ${name}`, ...await page.evaluate(async n => {
		const png = await (await fetch(`files/${n}.png`)).blob();
		const of = async bitmap => [bitmap.width, bitmap.height, await drawn(bitmap)];
		return [await of(await createImageBitmap(png)), await of(await xc.decode(`files/${n}.xc`))];
	}, name));
check('a profile changes colours', false, await page.evaluate(async () =>
	await drawn(await xc.decode('files/icc.xc')) === await drawn(await xc.decode('files/p3.xc'))));

for (const [name, options, flags] of [['meadow', {}, []], ['meadow', {quality: 40, effort: 1}, ['-q', '40', '-e', '1']],
	['grey16', {lossless: true}, ['--lossless']]]) {
	const file = Buffer.from(await page.evaluate(async ([n, o]) =>
		[...await xc.encode(await xc.decode(await bytes(n), {as: 'pixels'}), o)], [name === 'meadow' ? 'lossless' : name, options]));
	writeFileSync(join(files, 'own.pam'), '');
	execFileSync(xcodec, ['decode', '-f', join(files, name === 'meadow' ? 'lossless.xc' : `${name}.xc`), join(files, 'own.pam')]);
	execFileSync(xcodec, ['encode', '--quiet', '-f', ...flags, join(files, 'own.pam'), join(files, 'own.out')]);
	check(`encode() of ${name} ${JSON.stringify(options)} makes the command's bytes`, sha(readFileSync(join(files, 'own.out'))), sha(file));
}

const wantedImage = await page.evaluate(async () => {
	const bitmap = await xc.decode('files/grey.xc');
	return {width: bitmap.width, height: bitmap.height, sha: await drawn(bitmap)};
});
check('<xc-img>', [wantedImage, 'a disc', [61, 47], [30, 23], 'gone'], await page.evaluate(async () => {
	xc.define();
	const e = document.createElement('xc-img');
	e.alt = 'a disc';
	const done = loaded(e);
	e.src = 'files/grey.xc';
	document.body.append(e);
	await done;
	const canvas = e.shadowRoot.querySelector('canvas'), size = [e.offsetWidth, e.offsetHeight];
	const found = {width: e.naturalWidth, height: e.naturalHeight, sha: await drawn(canvas)}, label = canvas.ariaLabel;
	e.setAttribute('width', 30);
	e.setAttribute('height', 23);
	const small = [e.offsetWidth, e.offsetHeight];
	e.alt = 'gone';
	const failed = loaded(e).catch(() => e.shadowRoot.querySelector('span').innerText);
	e.src = 'files/none.xc';
	return [found, label, size, small, await failed];
}));
check('<xc-img> grows', [768, false], await page.evaluate(async () => {
	const e = document.createElement('xc-img');
	e.src = 'files/default.xc?slow';
	document.body.append(e);
	while (!e.naturalWidth && !e.complete)
		await new Promise(resolve => setTimeout(resolve, 5));
	const found = [e.naturalWidth, e.complete];
	e.remove();
	return found;
}));
check('replace()', [wantedImage, wantedImage, true], await page.evaluate(async () => {
	const img = new Image();
	img.src = 'files/grey.xc';
	document.body.append(img);
	const stop = xc.replace();
	const background = () => getComputedStyle(document.getElementById('background')).backgroundImage;
	while (!img.src.startsWith('blob:') || !background().includes('blob:'))
		await new Promise(resolve => setTimeout(resolve, 10));
	const first = await image(img.src), second = await image(/"(.*)"/.exec(background())[1]);
	const late = new Image();
	late.src = 'files/rgba.xc';
	document.body.append(late);
	while (!late.src.startsWith('blob:'))
		await new Promise(resolve => setTimeout(resolve, 10));
	stop();
	return [first, second, true];
}));

await page.evaluate(() => xc.serve('sw.js'));
for (const name of ['grey', 'default', 'rgba', 'rgb16', 'kept', 'icc', 'large'])
	check(`the service worker's ${name}`, ...await page.evaluate(async n => {
		const bitmap = await createImageBitmap(await xc.decode(`files/${n}.xc`, {as: 'blob'}));
		const wanted = {width: bitmap.width, height: bitmap.height, sha: await drawn(bitmap)};
		return [wanted, await image(`files/${n}.xc${n === 'default' ? '?slow' : ''}`)];
	}, name));
check('the service worker leaves fetch() alone', 'format', await page.evaluate(() =>
	fetch('files/none.xc').then(r => xc.decode(r)).catch(e => e.code)));
check('a damaged file is an error of <img>', 'error event', await page.evaluate(() =>
	image('files/head.xc').catch(e => e.message)));

await browser.close();
server.close();
