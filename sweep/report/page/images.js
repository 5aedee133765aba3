/* --------------------------------------------------------------------------- embedded images */

/* The pixels of the last few images, by the ids of their elements. */
const decoded = new Map();
const MAX_DECODED = 9;

/* The page's load event waits for an <img>, not for createImageBitmap(), so whoever prints the page or takes a
 * screenshot of it after that event finds the first pictures drawn. */
function decode(id) {
	return new Promise((resolve, reject) => {
		const image = new Image();
		image.addEventListener("error", reject);
		image.addEventListener("load", () => {
			const canvas = html("canvas", { width: image.width, height: image.height });
			const context = canvas.getContext("2d", { willReadFrequently: true });
			context.drawImage(image, 0, 0);
			resolve(context.getImageData(0, 0, canvas.width, canvas.height));
		});
		image.src = `data:image/png;base64,${byId(id).textContent}`;
	});
}

/* Resolves to the ImageData of an element. */
function imageOf(id) {
	const image = decoded.get(id) ?? decode(id);
	decoded.delete(id);
	decoded.set(id, image);
	image.catch(() => decoded.delete(id)); /* tried again */
	if (decoded.size > MAX_DECODED)
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
