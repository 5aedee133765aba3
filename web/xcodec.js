// SPDX-License-Identifier: BSD-2-Clause
//
// XC pictures in a page: decode(), info(), encode(), the element <xc-img>, replace() for <img> and
// CSS backgrounds, and serve() for a service worker. Workers do the work; each loads a module of its
// own when it first needs one. README.md tells how to use it, xcodec.d.ts has all types.

import {XCError} from './xcodec-core.js';
export {XCError};

/** workers: how many decode at the same time at most; before the first call. */
export const settings = {workers: Math.max(1, Math.min(4, navigator.hardwareConcurrency ?? 1))};

// -------------------------------------------------------------------- workers

const workers = [], calls = new Map();
let lastId = 0;

function settle(id, act) {
	const call = calls.get(id);
	calls.delete(id);
	if (call) {
		call.owner.busy--;
		act(call);
	}
}

function start() {
	const worker = new Worker(new URL('xcodec-worker.js', import.meta.url), {type: 'module'});
	const owner = {worker, busy: 0};
	worker.onmessage = ({data: {id, result, error, rows, y, info}}) => {
		if (rows)
			calls.get(id)?.onrows?.({rows, y, info});
		else
			settle(id, c => error ? c.reject(error.status ? new XCError(error.status, error.message)
				: new Error(error.message)) : c.resolve(result));
	};
	// The worker's script itself failed.
	worker.onerror = e => {
		workers.splice(workers.indexOf(owner), 1);
		for (const [id, call] of calls)
			if (call.owner === owner)
				settle(id, c => c.reject(new Error(e.message || 'xcodec-worker.js does not load')));
	};
	workers.push(owner);
	return owner;
}

/** The call {id, promise, owner} of the worker with the fewest calls. */
function begin(onrows) {
	const idle = workers.reduce((a, b) => a && a.busy <= b.busy ? a : b, undefined);
	const owner = idle && (!idle.busy || workers.length >= settings.workers) ? idle : start();
	const id = ++lastId;
	owner.busy++;
	const promise = new Promise((resolve, reject) => calls.set(id, {resolve, reject, owner, onrows}));
	return {id, promise, post: (method, args, transfer = []) =>
		owner.worker.postMessage({id, method, args}, transfer)};
}

function call(method, ...args) {
	const {promise, post} = begin();
	post(method, args);
	return promise;
}

// ------------------------------------------------------------------- decoding

async function responseOf(source, signal) {
	if (typeof source === 'string' || source instanceof URL)
		source = await fetch(source, {signal});
	if (source instanceof Response && !source.ok)
		throw new Error(`${source.url}: ${source.status} ${source.statusText}`);
	return source;
}

async function bytesOf(source) {
	if (source instanceof ReadableStream)
		source = new Response(source);
	if (source instanceof Blob || source instanceof Response)
		source = await source.arrayBuffer();
	if (source instanceof ArrayBuffer)
		return new Uint8Array(source);
	if (ArrayBuffer.isView(source))
		return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
	throw new XCError(1, 'no bytes of a file, no Blob, Response, ReadableStream or URL');
}

async function grow(stream, {onrows, signal, ...options}) {
	const {id, promise, post} = begin(onrows), reader = stream.getReader();
	const stop = () => reader.cancel(signal.reason).catch(() => {});
	let failed;
	promise.catch(e => {
		failed = e;
		reader.cancel(e).catch(() => {});
	});
	signal?.addEventListener('abort', stop);
	post('open', [options]);
	try {
		for (;;) {
			const {done, value} = await reader.read();
			signal?.throwIfAborted();
			if (done || failed)
				break;
			post('push', [value]);
		}
		post('end', []);
	} catch (e) {
		post('close', []);
		settle(id, c => c.reject(e));
	} finally {
		signal?.removeEventListener('abort', stop);
	}
	return promise;
}

/**
 * Decodes a file: bytes, a Blob, Response, ReadableStream or URL. options: as ("bitmap", the
 * default, "imagedata", "pixels" or "blob"), scale, region, channels, keepGoing, onrows, signal.
 * Throws an XCError for a bad file.
 */
export async function decode(source, options = {}) {
	const {onrows, signal, ...rest} = options;
	source = await responseOf(source, signal);
	const stream = source instanceof Response ? source.body : source;
	let result;
	if (onrows && stream instanceof ReadableStream && !rest.region && (rest.scale ?? 1) === 1) {
		result = await grow(stream, options);
	} else {
		const bytes = await bytesOf(source);
		signal?.throwIfAborted();
		result = await call('decode', bytes, rest);
	}
	return rest.as === 'imagedata' ? new ImageData(result.data, result.width, result.height) : result;
}

/** What a file says about itself; its pixels may be missing. */
export async function info(source) {
	return call('info', await bytesOf(await responseOf(source)));
}

/** Encodes an ImageData, or what decode() gives with as: "pixels"; loads the encoder. */
export async function encode(picture, options = {}) {
	const {data, width, height, channels} = picture;
	return call('encode', {data, width, height, channels}, options);
}

// ------------------------------------------------------------------ <xc-img>

/** <xc-img src alt width height>: events load and error, as of an <img>; grows while it loads. */
export class XcImage extends HTMLElement {
	static observedAttributes = ['src', 'alt', 'width', 'height'];
	#abort; #canvas; #style; #text;

	constructor() {
		super();
		const root = this.attachShadow({mode: 'open'});
		root.innerHTML = '<style></style><canvas role="img" part="canvas"></canvas><span hidden></span>';
		[this.#style, this.#canvas, this.#text] = root.children;
		this.complete = false;
		this.naturalWidth = this.naturalHeight = 0;
	}

	connectedCallback() {
		this.#load();
	}

	disconnectedCallback() {
		this.#abort?.abort();
	}

	attributeChangedCallback(name, before, now) {
		if (name === 'src') {
			if (this.isConnected && before !== now)
				this.#load();
			return;
		}
		this.#canvas.ariaLabel = this.#text.textContent = this.getAttribute('alt') ?? '';
		const sizes = ['width', 'height'].map(side => [side, parseInt(this.getAttribute(side), 10)])
			.filter(([, n]) => n >= 0).map(([side, n]) => `${side}:${n}px`);
		this.#style.textContent = `:host{display:inline-block;vertical-align:bottom;${sizes.join(';')}}
			:host([hidden]){display:none}
			canvas{display:block;width:100%;height:100%;object-fit:inherit}canvas[hidden]{display:none}`;
	}

	get src() {
		const src = this.getAttribute('src');
		return src === null ? '' : new URL(src, this.baseURI).href;
	}

	set src(url) {
		this.setAttribute('src', url);
	}

	get alt() {
		return this.getAttribute('alt') ?? '';
	}

	set alt(text) {
		this.setAttribute('alt', text);
	}

	#resize(width, height) {
		this.naturalWidth = this.#canvas.width = width;
		this.naturalHeight = this.#canvas.height = height;
		return this.#canvas.getContext('2d');
	}

	#show(failed) {
		this.#canvas.hidden = failed;
		this.#text.hidden = !failed;
		this.complete = true;
		this.dispatchEvent(new Event(failed ? 'error' : 'load'));
	}

	async #load() {
		this.#abort?.abort();
		const {signal} = this.#abort = new AbortController();
		let canvas;
		this.complete = false;
		if (!this.hasAttribute('src'))
			return;
		if (!this.#style.textContent)
			this.attributeChangedCallback();
		try {
			const bitmap = await decode(this.src, {signal, onrows: ({rows, y, info}) => {
				if (!signal.aborted) {
					canvas ??= this.#resize(info.width, info.height);
					canvas.clearRect(0, y, rows.width, rows.height);
					canvas.drawImage(rows, 0, y);
				}
				rows.close();
			}});
			if (!signal.aborted) {
				this.#resize(bitmap.width, bitmap.height).drawImage(bitmap, 0, 0);
				this.#show(false);
			}
			bitmap.close();
		} catch (e) {
			if (signal.aborted)
				return;
			console.error(`xc-img: ${this.src}: ${e.message}`);
			this.#show(true);
		}
	}
}

/** Makes <xc-img> known to the page. */
export function define(name = 'xc-img') {
	if (!customElements.get(name))
		customElements.define(name, XcImage);
}

// ------------------------------------------------- pictures of other elements

const isXc = url => /\.xc([?#]|$)/i.test(url);

/**
 * Replaces .xc in <img src> and in the background images of style sheets and style attributes by
 * PNG files in memory, now and when the document changes. Returns a function that ends it.
 */
export function replace(root = document) {
	const urls = new Map();
	const convert = url => {
		if (!urls.has(url))
			urls.set(url, decode(url, {as: 'blob'}).then(URL.createObjectURL, e => {
				console.error(`xcodec: ${url}: ${e.message}`);
				return null;
			}));
		return urls.get(url);
	};
	const image = async img => {
		const from = img.src, to = isXc(from) && await convert(from);
		if (to && img.src === from)
			img.src = to;
	};
	const background = async (style, base) => {
		const value = style.backgroundImage;
		let to = value;
		for (const [whole, , url] of value.matchAll(/url\((["']?)(.*?)\1\)/g)) {
			const png = isXc(url) && await convert(new URL(url, base).href);
			if (png)
				to = to.replace(whole, `url("${png}")`);
		}
		if (to !== value && style.backgroundImage === value)
			style.backgroundImage = to;
	};
	const rules = (list, base) => {
		for (const rule of list) {
			if (rule.style?.backgroundImage)
				background(rule.style, base);
			if (rule.cssRules)
				rules(rule.cssRules, base);
			if (rule.styleSheet)
				sheet(rule.styleSheet);
		}
	};
	const sheet = s => {
		let list;
		try {
			list = s.cssRules;
		} catch {
			return; // of another origin, whose rules scripts may not see
		}
		rules(list, s.href ?? document.baseURI);
	};
	const look = element => {
		const all = [element, ...element.querySelectorAll?.('img, [style]') ?? []];
		for (const e of all) {
			if (e instanceof HTMLImageElement)
				image(e);
			if (e.style?.backgroundImage)
				background(e.style, document.baseURI);
		}
	};
	const sheets = () => [...document.styleSheets].forEach(sheet);
	const observer = new MutationObserver(changes => {
		for (const {type, target, addedNodes} of changes) {
			if (type === 'attributes')
				look(target);
			for (const node of addedNodes) {
				if (node instanceof Element)
					look(node);
				if (node instanceof HTMLLinkElement)
					node.addEventListener('load', sheets);
				else if (node instanceof HTMLStyleElement)
					sheets();
			}
		}
	});
	observer.observe(root, {subtree: true, childList: true, attributes: true,
		attributeFilter: ['src', 'style']});
	look(root);
	sheets();
	return () => {
		observer.disconnect();
		for (const url of urls.values())
			url.then(u => u && URL.revokeObjectURL(u));
	};
}

/**
 * Registers the service worker, which answers requests for pictures named .xc with PNG files; ready
 * when it controls the page. `script` must be at or above the pages that it serves.
 */
export async function serve(script = new URL('xcodec-sw.js', import.meta.url), options = {}) {
	const registration = await navigator.serviceWorker.register(script, {type: 'module', ...options});
	if (!navigator.serviceWorker.controller)
		await new Promise(resolve => {
			navigator.serviceWorker.addEventListener('controllerchange', resolve, {once: true});
		});
	return registration;
}
