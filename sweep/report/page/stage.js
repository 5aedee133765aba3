/* ----------------------------------------------------------- the stage: moving, zooming, split */

const LEVELS = [1, 2, 3, 4, 6, 8, 12, 16];

const stage = {
	box: byId("stage"),
	handle: byId("split"),
	canvases: [...document.querySelectorAll("#stage canvas")],
	zoom: 1, x: 0, y: 0, /* CSS pixels for a pixel; where the upper left corner is */
	fitted: true,        /* stays so when the window gets another size */
	split: 50,           /* per cent */
	width: 1, height: 1, /* of the image */
};

const fitZoom = () => Math.min(stage.box.clientWidth / stage.width, stage.box.clientHeight / stage.height);

/* Keeps an image that is larger than the stage over it, and centres a smaller one. */
function keepInside(at, size, room) {
	return size <= room ? (room - size) / 2 : Math.min(0, Math.max(room - size, at));
}

function arrange() {
	const { box, zoom } = stage;
	stage.x = keepInside(stage.x, stage.width * zoom, box.clientWidth);
	stage.y = keepInside(stage.y, stage.height * zoom, box.clientHeight);
	for (const canvas of stage.canvases) {
		canvas.style.transform = `translate(${Math.round(stage.x)}px, ${Math.round(stage.y)}px) scale(${zoom})`;
		canvas.classList.toggle("small", zoom < 1);
	}
	byId("zoom-value").textContent = `${Math.round(100 * zoom)}\u00a0%`;
}

function setSplit(split) {
	stage.split = Math.min(100, Math.max(0, split));
	stage.box.style.setProperty("--split", `${stage.split}%`);
	stage.handle.setAttribute("aria-valuenow", Math.round(stage.split));
	stage.handle.setAttribute("aria-valuetext", `left picture over ${Math.round(stage.split)} per cent of the width`);
}

/* Zooms around a place of the stage, its middle by default. */
function setZoom(zoom, x = stage.box.clientWidth / 2, y = stage.box.clientHeight / 2) {
	const times = zoom / stage.zoom;
	stage.x = x - (x - stage.x) * times;
	stage.y = y - (y - stage.y) * times;
	stage.zoom = zoom;
	stage.fitted = false;
	arrange();
}

function fit() {
	setZoom(fitZoom());
	stage.fitted = true;
}

function stepZoom(up, x, y) {
	const levels = [Math.min(1, fitZoom()), ...LEVELS];
	const next = up ? levels.find((level) => level > stage.zoom * 1.001)
		: levels.findLast((level) => level < stage.zoom * 0.999);
	if (next)
		setZoom(next, x, y);
}

/* Shows the part where errors are seen most, 200 or 400 pixels of it across. */
function lookAtErrors() {
	const [x, y, width, height] = viewer.view.focus, { crop } = viewer.view;
	const across = stage.box.clientWidth;
	setZoom(Math.max(1, Math.round(across / (across < 600 ? 200 : 400)), fitZoom()));
	stage.x = across / 2 - (x - crop[0] + width / 2) * stage.zoom;
	stage.y = stage.box.clientHeight / 2 - (y - crop[1] + height / 2) * stage.zoom;
	arrange();
}

function move(dx, dy) {
	stage.x += dx;
	stage.y += dy;
	arrange();
}

/* Follows a pointer from where it went down until it goes up. */
function follow(target, step) {
	target.addEventListener("pointerdown", (down) => {
		if (down.button)
			return;
		let { clientX: x, clientY: y } = down;
		const go = (event) => {
			if (event.pointerId !== down.pointerId)
				return;
			step(event, event.clientX - x, event.clientY - y);
			x = event.clientX;
			y = event.clientY;
		};
		const end = () => {
			target.removeEventListener("pointermove", go);
			stage.box.classList.remove("moving");
		};
		target.setPointerCapture(down.pointerId);
		target.addEventListener("pointermove", go);
		target.addEventListener("pointerup", end, { once: true });
		target.addEventListener("pointercancel", end, { once: true });
		stage.box.classList.add("moving");
		down.stopPropagation();
	});
}

const steps = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

function splitKey(event) {
	const by = event.shiftKey ? 10 : 2;
	const to = { ArrowLeft: stage.split - by, ArrowDown: stage.split - by, ArrowRight: stage.split + by,
		ArrowUp: stage.split + by, Home: 0, End: 100 }[event.key];
	if (to === undefined)
		return;
	event.preventDefault();
	event.stopPropagation();
	setSplit(to);
}

function stageKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (steps[event.key])
		move(...steps[event.key].map((v) => v * 48));
	else if (event.key === "+" || event.key === "=")
		stepZoom(true);
	else if (event.key === "-")
		stepZoom(false);
	else if (event.key === "0")
		fit();
	else if (event.key === "e" || event.key === "E")
		lookAtErrors();
	else if (event.key === "x" || event.key === "X")
		swapSides();
	else if (event.key === "d" || event.key === "D")
		toggleDifference();
	else
		return;
	event.preventDefault();
}

function startStage() {
	follow(stage.box, (event, dx, dy) => move(dx, dy));
	follow(stage.handle, (event) => {
		const box = stage.box.getBoundingClientRect();
		setSplit(100 * (event.clientX - box.left) / box.width);
	});
	stage.box.addEventListener("keydown", stageKey);
	stage.handle.addEventListener("keydown", splitKey);
	/* A wheel alone scrolls the page; with Ctrl, and by pinching a trackpad, it zooms. */
	stage.box.addEventListener("wheel", (event) => {
		if (!event.ctrlKey && !event.metaKey)
			return;
		event.preventDefault();
		const box = stage.box.getBoundingClientRect();
		stepZoom(event.deltaY < 0, event.clientX - box.left, event.clientY - box.top);
	}, { passive: false });
	byId("zoom-in").addEventListener("click", () => stepZoom(true));
	byId("zoom-out").addEventListener("click", () => stepZoom(false));
	byId("zoom-fit").addEventListener("click", fit);
	byId("zoom-errors").addEventListener("click", lookAtErrors);
	new ResizeObserver(() => (stage.fitted ? fit() : arrange())).observe(stage.box);
	setSplit(50);
}
