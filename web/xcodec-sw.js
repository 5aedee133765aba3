// SPDX-License-Identifier: BSD-2-Clause
//
// A service worker that answers requests of <img> and style sheets for .xc with a PNG file, whose
// rows follow while the file arrives. fetch() of a page still gets the XC file. A site's own service
// worker imports this file.

import {Growing, load, PngWriter} from './xcodec-core.js';

let loading;

function core() {
	loading ??= load().catch(e => {
		loading = undefined;
		throw e;
	});
	return loading;
}

addEventListener('install', event => event.waitUntil(skipWaiting()));
addEventListener('activate', event => event.waitUntil(clients.claim()));

addEventListener('fetch', event => {
	const {url, destination, method} = event.request;
	if (method === 'GET' && destination === 'image' && /\.xc$/i.test(new URL(url).pathname))
		event.respondWith(answer(event.request));
});

// An <img> asks other origins without CORS, whose answer nobody may read.
async function fetched(request) {
	if (request.mode !== 'no-cors')
		return fetch(request);
	try {
		return await fetch(request.url, {mode: 'cors', credentials: 'same-origin',
			signal: request.signal});
	} catch {
		return fetch(request);
	}
}

async function answer(request) {
	const response = await fetched(request);
	if (!response.ok || !response.body)
		return response;
	return new Response(pngStream(await core(), response.body, request.url),
		{headers: {'Content-Type': 'image/png', 'Cache-Control': 'no-store'}});
}

function pngStream(module, body, url) {
	const reader = body.getReader();
	let growing;
	return new ReadableStream({
		async start(controller) {
			const put = parts => parts.forEach(p => controller.enqueue(p));
			let writer;
			growing = new Growing(module, {}, {
				found(info) {
					writer = new PngWriter(info);
					put(writer.begin());
				},
				rows: picture => put(writer.rows(picture)),
			});
			try {
				for (let r; !(r = await reader.read()).done;)
					growing.push(r.value);
				growing.end();
				put(writer.end());
				controller.close();
			} catch (e) {
				growing.free();
				console.error(`xcodec: ${url}: ${e.message}`);
				controller.error(e);
			}
		},
		cancel(reason) {
			growing?.free();
			return reader.cancel(reason);
		},
	});
}
