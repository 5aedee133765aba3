/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses a report's page as a reader would and leaves in its root element, as data-probe, what went wrong: "ok" or a
 * list.  tests/command/report.sh appends it to the page, after the page's curves.js, whose functions it calls. */
const faults = [];
const expect = (what, holds) => holds || faults.push(what);
const find = (selector) => document.querySelector(selector);
const key = (node, name) => node.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
const choose = (selector, value) => {
	find(selector).value = value;
	find(selector).dispatchEvent(new Event("change", { bubbles: true }));
};
/* Waits for what threads of the browser do.  Messages, because the browser's clock is a virtual one that jumps over
 * any time that nothing is to be done in: timers would end at once. */
const channel = new MessageChannel();
const turn = () => new Promise((done) => {
	channel.port1.onmessage = done;
	channel.port2.postMessage(0);
});
async function until(what, holds) {
	for (let i = 0; i < 2e6 && !holds(); i++)
		await turn();
	expect(what, holds());
}
const told = (side) => find(`#layer-${side} canvas`).getAttribute("aria-label");
const pixels = (side) => {
	const canvas = find(`#layer-${side} canvas`), copy = document.createElement("canvas");
	copy.width = canvas.width;
	copy.height = canvas.height;
	const context = copy.getContext("2d", { willReadFrequently: true });
	context.drawImage(canvas, 0, 0);
	return context.getImageData(0, 0, copy.width, copy.height).data;
};

function isFitted() {
	const canvas = find("#layer-right canvas").getBoundingClientRect(), stage = find("#stage");
	return Math.abs(canvas.height - stage.clientHeight) < 1 || Math.abs(canvas.width - stage.clientWidth) < 1;
}

/* What is on the stage when the page has been loaded, before anything else is done. */
function probeStart() {
	expect("drawn when the page is loaded", /^right picture: /.test(told("right")) && find("#stage-note").hidden);
	expect("opens as a whole picture", isFitted());
}

/* Ticks lie on the axis, rise, and are enough and not too many. */
function probeAxes() {
	for (const range of [[0.1, 2.5], [0.9, 0.99999], [23, 51], [1e-3, 1e3], [0.52, 0.55], [7, 7], [1, 10]])
		for (const logarithmic of [false, true]) {
			const { ticks, place } = axisOf(range, logarithmic, 7), told = `${range}, ${logarithmic}: ${ticks}`;
			expect(`inside: ${told}`, range.every((value) => place(value) > 0 && place(value) < 1));
			expect(`number of ticks: ${told}`, ticks.length >= 3 && ticks.length <= 12);
			expect(`ticks on the axis: ${told}`, ticks.every((t) => place(t) > -1e-9 && place(t) < 1 + 1e-9));
			expect(`rising: ${told}`, ticks.every((t, i) => !i || t > ticks[i - 1]));
		}
}

function probeChart() {
	const points = [...document.querySelectorAll(".xc-point")];
	expect("points are drawn", points.length > 10);
	points[0].focus();
	expect("values at the focus", !find(".tip").hidden && /^.?\d+\.\d\d$/.test(find(".tip .value").textContent));
	key(points[0], "ArrowRight");
	expect("arrow right", document.activeElement === points[1]);
	key(points[1], "ArrowDown");
	expect("arrow down", document.activeElement.getAttribute("aria-label") !== points[1].getAttribute("aria-label"));
	expect("one stop for the tabulator", document.querySelectorAll(".xc-point[tabindex='0']").length === 1);
	find("#legend button").click();
	expect("a hidden curve", document.querySelectorAll(".xc-point").length < points.length);
	find("#legend button").click();
	choose("#scale input[value=linear]", "linear");
	expect("SSIMULACRA2 first", find("#chart svg").getAttribute("aria-label").startsWith("SSIMULACRA2"));
	choose("#measure", 4);
	expect("another measure", find("#chart svg").getAttribute("aria-label").startsWith("PSNR, RGB"));
}

async function probeTables() {
	choose("#picture", 0);
	const table = find("#points details:not([hidden]) table"), body = table.tBodies[0];
	const bytes = () => [...body.rows].map((row) => Number(row.cells[2].textContent));
	table.querySelectorAll("thead button")[2].click();
	const sorted = bytes();
	expect("sorted", sorted.every((value, i) => !i || sorted[i - 1] <= value));
	const edges = table.closest(".edges"), box = table.closest(".scroll");
	await until("a shadow where columns are hidden", () =>
		edges.classList.contains("more-right") === box.scrollWidth > box.clientWidth + 1);
	expect("aria-sort", table.tHead.rows[0].cells[2].getAttribute("aria-sort") === "ascending");
	expect("one matrix", document.querySelectorAll("table.deltas:not([hidden])").length === 1);
}

/* The PSNR of what is on the canvases is the one that was measured, so their pixels are exact. */
async function probeViewer() {
	if (find("#viewer").hidden)
		return;
	const config = find("#right").value;
	choose("#left", -1);
	await until("the original is drawn", () => told("left") === "left picture: original" &&
		/^right picture: /.test(told("right")));
	const original = pixels("left"), decoded = pixels("right");
	let error = 0;
	for (let i = 0; i < original.length; i++)
		error += (original[i] - decoded[i]) ** 2;
	const psnr = 10 * Math.log10(255 ** 2 / (error / (original.length / 4 * 3)));
	const measured = Number.parseFloat(find("#right-facts b").textContent);
	expect(`PSNR ${psnr} of pixels, told ${measured}`, Math.abs(psnr - measured) < 0.0051);
	key(find("#stage"), "d");
	await until("the difference is drawn", () => told("right").endsWith(", difference"));
	expect("the original does not differ from itself", pixels("left").every((v, i) => v === (i % 4 === 3 ? 255 : 0)));
	expect("amplified difference", pixels("right").every((v, i) =>
		v === (i % 4 === 3 ? 255 : Math.min(255, 4 * Math.abs(original[i] - decoded[i])))));
	key(find("#stage"), "x");
	expect("swapped", find("#left").value === config && find("#right").value === "-1");
	key(find("#split"), "ArrowRight");
	expect("split", find("#split").getAttribute("aria-valuenow") === "52");
	const zoom = find("#zoom-value").textContent;
	key(find("#stage"), "+");
	expect("zoom", find("#zoom-value").textContent !== zoom && !isFitted());
	find("#zoom-errors").click();
	key(find("#stage"), "0");
	expect("fitted again", isFitted());
}

async function probe() {
	await new Promise((done) => window.addEventListener("load", done));
	if (!find("#viewer").hidden)
		probeStart();
	expect("nothing of a name became an element", !find("b[onclick]"));
	expect("as wide as the window", document.documentElement.scrollWidth <= innerWidth);
	probeAxes();
	probeChart();
	await probeTables();
	await probeViewer();
	if (window.axe) {
		const { violations } = await window.axe.run();
		faults.push(...violations.filter((v) => v.impact !== "minor").map((v) => `axe: ${v.id}`));
	}
}

probe().catch((error) => faults.push(String(error)))
	.then(() => { document.documentElement.dataset.probe = faults.join("; ") || "ok"; });
