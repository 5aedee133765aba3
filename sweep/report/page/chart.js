/* ------------------------------------------------------------------------ the drawing of curves */

const chart = {
	box: byId("chart"),
	tip: html("div", { class: "tip", "aria-hidden": "true", hidden: "" }),
	points: [], /* those drawn: { row, x, y, node } by configuration and rate */
};

/* How curves differ besides their colours: dashes, and markers as paths from a point on. */
const LINES = [
	["none", "m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z"],
	["7 3", "m-3.3-3.3h6.6v6.6h-6.6z"],
	["2 2.5", "m0-4.4l4.2 7.4h-8.4z"],
	["9 3 2 3", "m0-4.6l4.6 4.6l-4.6 4.6l-4.6-4.6z"],
	["12 4", "m0 4.4l4.2-7.4h-8.4z"],
	["4 2", "m-3.2-3.2l6.4 6.4m0-6.4l-6.4 6.4"],
	["9 3 2 3 2 3", "m0-4.4l4.2 3l-1.6 5h-5.2l-1.6-5z"],
	["1.5 3", "m-4.2 0h8.4m-4.2-4.2v8.4"],
];

/* Where colours come again (colourOf()), dashes and markers are other ones. */
const lineOf = (config) => LINES[(config + 3 * Math.floor(config / LINES.length)) % LINES.length];

function drawAxes(root, area, x, y, measure) {
	const px = (value) => area.left + area.width * x.place(value);
	const py = (value) => area.top + area.height * (1 - y.place(value));
	const bottom = area.top + area.height, right = area.left + area.width;
	const label = (text, attributes) => svg("text", attributes, text);
	const digits = Math.max(...y.ticks.map((tick) => (String(tick).split(".")[1] || "").length));

	root.append(
		svg("path", { class: "xc-grid", fill: "none", d:
			x.ticks.map((t) => `M${px(t)} ${area.top}V${bottom}`).join("") +
			y.ticks.map((t) => `M${area.left} ${py(t)}H${right}`).join("") }),
		svg("path", { class: "xc-axis", fill: "none", d: `M${area.left} ${area.top}V${bottom}H${right}` }),
		...x.ticks.map((t) => label(String(t), { x: px(t), y: bottom + 17, "text-anchor": "middle" })),
		...y.ticks.map((t) => label(t.toFixed(digits).replace("-", MINUS),
			{ x: area.left - 8, y: py(t) + 4, "text-anchor": "end" })),
		label("bits a pixel", { x: right, y: bottom + 36, "text-anchor": "end" }),
		label(withUnit(measure, ", "), { class: "xc-ink", x: 0, y: 13, "font-weight": 600 }));
	return [px, py];
}

function drawCurve(root, curve, config, place) {
	const [dashes, marker] = lineOf(config);
	const at = curve.map((row) => place(row).map((v) => v.toFixed(1)).join(" "));
	if (curve.length)
		root.append(svg("g", { class: `xc-curve ${colourOf(config)}`, fill: "none",
			"stroke-width": 1.8, "stroke-linejoin": "round" },
			svg("path", { "stroke-dasharray": dashes, d: "M" + at.join("L") }),
			svg("path", { class: "xc-marker", "stroke-width": 1.5,
				d: at.map((point) => `M${point}${marker}`).join("") })));
}

/* The words for a point, which a screen reader says. */
function words(row, measure) {
	return `${data.configs[row[CONFIG]]}, quality ${row[QUALITY]}: ` +
		`${number(row[RATE], 3)} bits a pixel, ${shown(row[MEASURE + state.measure], measure)}`;
}

function drawChart() {
	const width = Math.max(chart.box.clientWidth, 280);
	const height = Math.round(Math.min(Math.max(0.58 * width, 300), 470));
	const area = { left: 46, top: 26, width: width - 46 - 10, height: height - 26 - 42 };
	const measure = data.measures[state.measure], member = MEASURE + state.measure;
	const curves = curvesOf(state.picture, state.measure)
		.map((curve, config) => (state.hidden.has(config) ? [] : curve));
	const rows = curves.flat();
	const x = axisOf(rows.map((row) => row[RATE]), state.logarithmic, width / 100);
	const y = axisOf(rows.map((row) => row[member]), false, height / 60);
	const root = svg("svg", { class: "xc-curves", viewBox: `0 0 ${width} ${height}`,
		width, height, "font-size": 12, role: "group",
		"aria-label": `${withUnit(measure, ", ")} over bits a pixel, ${pictureName(state.picture)}` });

	const [px, py] = drawAxes(root, area, x, y, measure);
	const place = (row) => [px(row[RATE]), py(row[member])];
	for (let config = curves.length; config-- > 0;)
		drawCurve(root, curves[config], config, place);
	chart.area = area;
	chart.curves = curves;
	chart.mark = svg("g", {});
	root.append(chart.mark);
	chart.points = rows.map((row) => {
		const [cx, cy] = place(row);
		const node = svg("circle", { class: "xc-point", cx, cy, r: 9, tabindex: -1, role: "img",
			"aria-label": words(row, measure) });
		root.append(node);
		return { row, x: cx, y: cy, node };
	});
	if (chart.points.length)
		chart.points[0].node.setAttribute("tabindex", 0);
	chart.box.replaceChildren(root, chart.tip);
	chart.tip.hidden = true;
}

/* The legend gets samples of the lines and becomes buttons that hide and show curves. */
function startLegend() {
	byId("legend").querySelectorAll("li").forEach((item, config) => {
		const [dashes, marker] = lineOf(config);
		item.prepend(svg("svg", { class: "key", viewBox: "0 0 32 14", width: 32, height: 14, "aria-hidden": true },
			svg("path", { "stroke-dasharray": dashes, d: "M1 7h30" }),
			svg("path", { class: "xc-marker", d: `M16 7${marker}` })));
		const button = html("button", { type: "button", "aria-pressed": "true",
			title: "Show or hide this curve" }, ...item.childNodes);
		item.append(button);
		button.addEventListener("click", () => {
			if (!state.hidden.delete(config))
				state.hidden.add(config);
			button.setAttribute("aria-pressed", String(!state.hidden.has(config)));
			drawChart();
		});
	});
}
