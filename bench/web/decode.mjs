// SPDX-License-Identifier: BSD-2-Clause
//
// How fast a browser decodes by WebAssembly: the package that `make web` made beside builds of libwebp
// and libjxl, which are not part of this tree and are not fetched: the packages @jsquash/webp and
// @jsquash/jxl, of which MODULES (a node_modules with playwright-core) has those that are to be compared.
//
//	node decode.mjs PACKAGE MODULES FOLDER [RUNS]
//
// FOLDER has files of one picture each: *.xc, *.webp, *.jxl. Prints by folder of names (what comes
// before the first "-") the mean of the minimal times of its files, in milliseconds, from the bytes of a
// file to its samples in the thread that asks; and for XC also through a worker to an ImageBitmap. All
// files take turns, so that other work on the machine hits all alike.

import {existsSync, createReadStream, readdirSync, readFileSync, statSync} from 'node:fs';
import {createServer} from 'node:http';
import {createRequire} from 'node:module';
import {extname, join, resolve} from 'node:path';

const [, , pack, modules, folder, runs = 40] = process.argv;
if (!folder) {
	console.error('usage: node decode.mjs PACKAGE MODULES FOLDER [RUNS]');
	process.exit(2);
}
const {chromium} = createRequire(join(resolve(modules), 'x.js'))('playwright-core');
const roots = {xcodec: pack, modules, files: folder};
const types = {'.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html'};
const server = createServer((request, response) => {
	const [, root, ...rest] = decodeURI(new URL(request.url, 'http://x').pathname).split('/');
	const path = root && roots[root] ? join(roots[root], ...rest) : '';
	if (!root)
		response.writeHead(200, {'Content-Type': 'text/html'}).end('<!doctype html>');
	else if (!existsSync(path) || !statSync(path).isFile())
		response.writeHead(404).end();
	else
		createReadStream(path).pipe(response.writeHead(200, {'Content-Type': types[extname(path)] ?? ''}));
});
await new Promise(done => server.listen(0, '127.0.0.1', done));

const files = readdirSync(folder).filter(f => /\.(xc|webp|jxl)$/.test(f) && (f.endsWith('.xc') ||
	existsSync(join(modules, '@jsquash', extname(f).slice(1))))).sort();
const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
	args: ['--no-sandbox']});
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);
const times = await page.evaluate(async ([names, n]) => {
	const {load} = await import('/xcodec/xcodec-core.js'), xc = await import('/xcodec/xcodec.js');
	const cores = [await load('simd'), await load('scalar')], peers = {};
	for (const kind of ['webp', 'jxl'])
		if (names.some(f => f.endsWith(kind)))
			peers[kind] = (await import(`/modules/@jsquash/${kind}/decode.js`)).default;
	const work = [];
	for (const name of names) {
		const bytes = new Uint8Array(await (await fetch(`/files/${name}`)).arrayBuffer());
		const kind = name.split('.').pop(), row = what => `${name.split(/[-.]/)[0]}.${what}`;
		if (kind === 'xc') {
			work.push({row: row('xc SIMD128'), run: () => cores[0].decode(bytes, {channels: 4})});
			work.push({row: row('xc plain'), run: () => cores[1].decode(bytes, {channels: 4})});
			work.push({row: row('xc worker, ImageBitmap'), run: async () => (await xc.decode(bytes)).close()});
		} else {
			work.push({row: row(kind), run: () => peers[kind](bytes.buffer)});
		}
	}
	for (let i = 0; i < n; i++)
		for (const w of work) {
			const start = performance.now();
			await w.run();
			w.min = Math.min(w.min ?? Infinity, performance.now() - start);
		}
	return work.map(({row, min}) => [row, min]);
}, [files, +runs]);
console.log(`Chromium ${browser.version()}; minima of ${runs} runs, mean over files, ms`);
for (const row of [...new Set(times.map(([r]) => r))].sort()) {
	const all = times.filter(([r]) => r === row).map(([, t]) => t);
	console.log(`${row.padEnd(36)} ${(all.reduce((a, b) => a + b) / all.length).toFixed(2).padStart(8)}  (${all.length})`);
}
for (const kind of ['.xc', '.webp', '.jxl'])
	for (const name of [...new Set(files.map(f => f.split(/[-.]/)[0]))]) {
		const own = files.filter(f => f.endsWith(kind) && f.split(/[-.]/)[0] === name);
		if (own.length)
			console.log(`${name}${kind}: ${own.reduce((n, f) => n + readFileSync(join(folder, f)).length, 0)} bytes`);
	}
await browser.close();
server.close();
