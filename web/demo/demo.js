// SPDX-License-Identifier: BSD-2-Clause
//
// The page of index.html: shows a picture, what its XC file gives back, and the difference. Nothing
// leaves the browser.

import {decode, encode, info} from '../xcodec.js';

const find = id => document.getElementById(id);
const quality = find('quality'), lossless = find('lossless'), save = find('save');
let original, name, run = 0, loaded = false;

function say(text, bad = false) {
	find('say').textContent = text;
	find('say').classList.toggle('bad', bad);
}

function show(id, data, text) {
	const canvas = find(id).querySelector('canvas');
	canvas.width = data.width;
	canvas.height = data.height;
	canvas.getContext('2d').putImageData(data, 0, 0);
	find(id).querySelector('span').textContent = text;
	find(id).hidden = false;
}

const bytes = n => n < 10000 ? `${n} bytes` : `${(n / 1000).toFixed(1)} kB`;

/** Eight times the difference around mid-grey, what it amounts to, and the largest one. */
function differenceOf(a, b) {
	const to = new ImageData(a.width, a.height);
	let sum = 0, largest = 0;
	for (let i = 0; i < a.data.length; i++) {
		const d = b.data[i] - a.data[i];
		to.data[i] = i % 4 === 3 ? 255 : 128 + 8 * d;
		sum += i % 4 === 3 ? 0 : d * d;
		largest = Math.max(largest, Math.abs(d));
	}
	const mse = sum / (a.width * a.height * 3);
	return {to, psnr: mse ? 10 * Math.log10(255 ** 2 / mse) : Infinity, largest};
}

async function describe(file, ms) {
	const i = await info(file), kind = i.lossless ? 'without loss' : `quality ${i.quality}`;
	say(`${i.width} x ${i.height}, ${i.channels} channels of ${i.depth} bits; ${kind}, ${i.subsampling}, ` +
		`${i.transform}, ${i.entropy}; ${i.segments} segments; decoded in ${ms.toFixed(1)} ms`);
}

function offer(file) {
	URL.revokeObjectURL(save.href);
	save.href = URL.createObjectURL(new Blob([file]));
	save.download = `${name}.xc`;
	save.hidden = false;
}

/** Decodes; the first time twice, since that loads the module. */
async function timed(file) {
	if (!loaded)
		await decode(file);
	loaded = true;
	const start = performance.now(), data = await decode(file, {as: 'imagedata'});
	return {data, ms: performance.now() - start};
}

/** Encodes and decodes the original; a newer run takes the place of this one. */
async function compare() {
	const own = ++run;
	if (!original)
		return;
	say('encoding ...');
	const start = performance.now();
	const file = await encode(original, {quality: +quality.value, lossless: lossless.checked || undefined});
	const encoded = performance.now() - start, {data, ms} = await timed(file);
	if (own !== run)
		return;
	const pixels = data.width * data.height, {to, psnr, largest} = differenceOf(original, data);
	show('decoded', data, `${bytes(file.length)}, ${(8 * file.length / pixels).toFixed(2)} bits a pixel`);
	show('difference', to, largest ? `8 times; at most ${largest}, PSNR ${psnr.toFixed(2)} dB` : 'none');
	offer(file);
	await describe(file, ms);
	find('say').textContent += `, encoded in ${encoded.toFixed(0)} ms`;
}

async function open(file) {
	name = file.name.replace(/\.[^.]*$/, '');
	original = undefined;
	run++;
	for (const figure of document.querySelectorAll('figure'))
		figure.hidden = true;
	save.hidden = true;
	if (/\.xc$/i.test(file.name)) {
		const {data, ms} = await timed(file);
		show('decoded', data, bytes(file.size));
		await describe(file, ms);
		return;
	}
	const bitmap = await createImageBitmap(file);
	const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
	canvas.drawImage(bitmap, 0, 0);
	original = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
	show('original', original, bytes(file.size));
	await compare();
}

const attempt = work => work.catch(e => say(e.message, true));

addEventListener('dragover', event => {
	event.preventDefault();
	document.body.classList.add('over');
});
addEventListener('dragleave', () => document.body.classList.remove('over'));
addEventListener('drop', event => {
	event.preventDefault();
	document.body.classList.remove('over');
	if (event.dataTransfer.files.length)
		attempt(open(event.dataTransfer.files[0]));
});
document.querySelector('input[type=file]').addEventListener('change', ({target}) => {
	if (target.files.length)
		attempt(open(target.files[0]));
	target.value = '';
});
quality.addEventListener('input', () => {
	quality.nextElementSibling.value = quality.value;
});
for (const input of [quality, lossless])
	input.addEventListener('change', () => attempt(compare()));
