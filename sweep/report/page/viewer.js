/* ---------------------------------------------------------- which pictures are on the stage */

const ORIGINAL = -1;
const viewer = { view: null, size: 0, side: { left: ORIGINAL, right: ORIGINAL } };

const variantOf = (config) =>
	viewer.view.sizes[viewer.size]?.find((variant) => variant.row[CONFIG] === config);
const isDifference = () => document.querySelector("input[name=show]:checked").value === "difference";

/* Fills the line of facts of a side.  The right one tells its size by that of the left one. */
function tellFacts(name, other) {
	const measure = data.measures[state.measure], line = byId(`${name}-facts`);
	const variant = variantOf(viewer.side[name]);
	if (!variant) {
		line.textContent = "as it was given";
		return;
	}
	const row = variant.row, facts = [
		`quality ${row[QUALITY]}`, `${number(row[RATE], 3)} bits a pixel`,
		`${grouped(row[BYTES])} bytes`];
	if (other)
		facts[2] += ` (${signed(100 * (row[BYTES] / other.row[BYTES] - 1), 1)}\u00a0%)`;
	const parts = facts.map((fact) => html("span", {}, fact + ", "));
	line.replaceChildren(...parts.flatMap((part) => [part, " "]),
		html("span", {}, `${measure.title.replace(",", "")} `, html("b", {}, shown(row[MEASURE + state.measure], measure))));
}

function tellCrop() {
	const [x, y, width, height] = viewer.view.crop, whole = viewer.view.whole;
	byId("crop-note").textContent = width === whole[2] && height === whole[3] ? ""
		: `This is the part of ${width} × ${height} pixels at (${x}, ${y}) of ${whole[2]} × ${whole[3]}.`;
}

function drawSide(name, canvas, image, original) {
	const variant = variantOf(viewer.side[name]);
	const title = variant ? data.configs[variant.row[CONFIG]] : "original";
	paint(canvas, isDifference() ? difference(image, original, Number(byId("gain").value)) : image);
	canvas.setAttribute("aria-label", `${name} picture: ${title}${isDifference() ? ", difference" : ""}`);
}

/* Draws both sides at once, so that none is ever beside one of another picture.  What needs no pixels is told before
 * they are decoded, so that nothing moves when they come. */
let drawing = 0;
async function drawStage() {
	const turn = ++drawing, note = byId("stage-note");
	const { original } = viewer.view, sides = ["left", "right"];
	const ids = [original, ...sides.map((name) => variantOf(viewer.side[name])?.image ?? original)];
	tellFacts("left", null);
	tellFacts("right", variantOf(viewer.side.left));
	tellCrop();
	note.textContent = "Decoding the pictures \u2026";
	note.hidden = false;
	const images = await Promise.all(ids.map(imageOf)).catch(() => null);
	if (turn !== drawing)
		return;
	note.hidden = images !== null;
	if (!images)
		note.textContent = "This browser could not decode the pictures.";
	else
		sides.forEach((name, i) => drawSide(name, stage.canvases[i], images[1 + i], images[0]));
}

function offerSides() {
	const present = data.configs.map((name, config) => [config, name])
		.filter(([config]) => variantOf(config));
	const pairs = [[ORIGINAL, "Original"], ...present];
	for (const name of ["left", "right"]) {
		if (!pairs.some(([config]) => config === viewer.side[name]))
			viewer.side[name] = ORIGINAL;
		options(byId(name), pairs, viewer.side[name]);
	}
}

function offerSizes() {
	const box = byId("view-size");
	const rates = viewer.view.sizes.map((size) =>
		size.reduce((sum, variant) => sum + variant.row[RATE], 0) / size.length);
	viewer.size = Math.min(viewer.size, rates.length - 1);
	box.replaceChildren(box.querySelector("legend"), ...rates.map((rate, i) => {
		const input = html("input", { type: "radio", name: "size", value: i });
		input.checked = i === viewer.size;
		return html("label", {}, input, html("span", {}, number(rate, 2)));
	}));
}

/* Shows another picture as a whole. */
function choosePicture(picture) {
	const view = data.views.find((one) => one.picture === picture);
	if (!view)
		return;
	viewer.view = view;
	[stage.width, stage.height] = view.crop.slice(2);
	byId("view-picture").value = picture;
	offerSizes();
	offerSides();
	fit();
	drawStage();
}

function swapSides() {
	const { left, right } = viewer.side;
	viewer.side = { left: right, right: left };
	offerSides();
	drawStage();
}

function toggleDifference() {
	document.querySelector(`input[name=show][value=${isDifference() ? "pixels" : "difference"}]`).checked = true;
	drawStage();
}

function startViewer() {
	const last = data.configs.length - 1;
	viewer.side = last > 0 ? { left: 0, right: last } : { left: ORIGINAL, right: 0 };
	options(byId("view-picture"), data.views.map((view) => [view.picture, data.pictures[view.picture]]),
		data.views[0].picture);
	startStage();
	byId("view-picture").addEventListener("change", (event) => choosePicture(Number(event.target.value)));
	byId("view-size").addEventListener("change", (event) => {
		viewer.size = Number(event.target.value);
		offerSides();
		drawStage();
	});
	for (const name of ["left", "right"])
		byId(name).addEventListener("change", (event) => {
			viewer.side[name] = Number(event.target.value);
			drawStage();
		});
	byId("swap").addEventListener("click", swapSides);
	byId("show").addEventListener("change", drawStage);
	byId("gain").addEventListener("change", drawStage);
	choosePicture(data.views[0].picture);
}
