/* --------------------------------------------------------------------------- embedded images */

/* The pixels of the last few images, by the ids of their elements. */
const decoded = new Map();
const MOST_DECODED = 9;

async function decode(id) {
	const text = atob(byId(id).textContent), bytes = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++)
		bytes[i] = text.charCodeAt(i);
	const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }),
		{ colorSpaceConversion: "none", premultiplyAlpha: "none" });
	const canvas = html("canvas", { width: bitmap.width, height: bitmap.height });
	const context = canvas.getContext("2d", { willReadFrequently: true });
	context.drawImage(bitmap, 0, 0);
	bitmap.close();
	return context.getImageData(0, 0, canvas.width, canvas.height);
}

/* Resolves to the ImageData of an element. */
function imageOf(id) {
	const image = decoded.get(id) ?? decode(id);
	decoded.delete(id);
	decoded.set(id, image);
	if (decoded.size > MOST_DECODED)
		decoded.delete(decoded.keys().next().value);
	return image;
}

/* The absolute difference of each sample, times gain. */
function difference(image, original, gain) {
	const out = new ImageData(image.width, image.height);
	for (let i = 0; i < out.data.length; i++)
		out.data[i] = i % 4 === 3 ? 255 : gain * Math.abs(image.data[i] - original.data[i]);
	return out;
}

function paint(canvas, image) {
	canvas.width = image.width;
	canvas.height = image.height;
	canvas.getContext("2d").putImageData(image, 0, 0);
}
