/* ---------------------------------------------------------------------------------- the page */

function showAll() {
	drawChart();
	showDeltas();
	showTable();
	if (viewer.view)
		drawStage();
}

/* The choice of colours is kept where the browser allows a page from a disk to keep anything. */
function startTheme() {
	const box = byId("theme");
	const apply = (theme) => {
		document.documentElement.dataset.theme = theme;
		box.querySelector(`input[value="${theme}"]`).checked = true;
	};
	try {
		apply(localStorage.getItem("xcodec-theme") ?? "");
	} catch {
		apply("");
	}
	box.addEventListener("change", (event) => {
		apply(event.target.value);
		try {
			localStorage.setItem("xcodec-theme", event.target.value);
		} catch { /* not kept */ }
	});
}

/* Pictures follow the choice for the page; the mean has none. */
function startBar() {
	options(byId("measure"), known.map((i) => [i, data.measures[i].title]), state.measure);
	const pictures = data.pictures.map((name, i) => [i, name]);
	if (MEAN !== 1)
		pictures.unshift([MEAN, pictureName(MEAN).replace("m", "M")]);
	options(byId("picture"), pictures, state.picture);
	byId("measure").addEventListener("change", (event) => {
		state.measure = Number(event.target.value);
		showAll();
	});
	byId("picture").addEventListener("change", (event) => {
		state.picture = Number(event.target.value);
		showAll();
		if (viewer.view && state.picture !== MEAN)
			choosePicture(state.picture);
	});
	byId("scale").addEventListener("change", (event) => {
		state.logarithmic = event.target.value === "log";
		drawChart();
	});
}

function start() {
	for (const node of document.querySelectorAll(".scripted"))
		node.hidden = node.id === "viewer" && !data.views.length;
	byId("to-viewer").hidden = !data.views.length;
	byId("to-deltas").hidden = byId("deltas").hidden = !data.deltas.length || data.configs.length < 2;
	startTheme();
	startBar();
	startLegend();
	startTables();
	startEdges();
	startChart();
	showAll();
	if (data.views.length)
		startViewer();
}

start();
