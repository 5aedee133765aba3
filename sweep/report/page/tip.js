/* ------------------------------------------------------------------------ values under a point */

/* How the other curves compare: at the same rate, and in bits at the same measure. */
function compareRows(row, measure) {
	const member = MEASURE + state.measure, rate = (r) => Math.log(r[RATE]), value = (r) => r[member];
	return chart.curves.flatMap((curve, config) => {
		if (config === row[CONFIG] || !curve.length)
			return [];
		const gain = interpolate(curve, rate, rate(row), value);
		const bits = interpolate(curve, value, value(row), rate);
		return [html("tr", {},
			html("th", { scope: "row" }, data.configs[config]),
			html("td", {}, gain === null ? "\u2013" : signed(gain - value(row), measure.digits)),
			html("td", {}, bits === null ? "\u2013"
				: signed(100 * (Math.exp(bits - rate(row)) - 1), 1) + "\u00a0%"))];
	});
}

function fillTip(row) {
	const measure = data.measures[state.measure], others = compareRows(row, measure);
	chart.tip.replaceChildren(
		html("p", { class: `name ${colourOf(row[CONFIG])}` }, data.configs[row[CONFIG]]),
		html("p", { class: "value" }, shown(row[MEASURE + state.measure], measure)),
		html("p", {}, `quality ${row[QUALITY]}, ${number(row[RATE], 3)} bits a pixel, ` +
			`${grouped(row[BYTES])} bytes`));
	if (others.length)
		chart.tip.append(html("table", {}, html("thead", {}, html("tr", {},
			html("th", {}, "others"), html("th", {}, "same size"), html("th", {}, "same measure"))),
			html("tbody", {}, ...others)));
}

function showPoint(point) {
	const { area, tip } = chart, { row, x, y } = point;
	chart.mark.replaceChildren(
		svg("path", { class: "xc-cross", fill: "none",
			d: `M${area.left} ${y}H${x}V${area.top + area.height}` }),
		svg("circle", { class: `xc-here ${colourOf(row[CONFIG])}`, cx: x, cy: y, r: 6 }));
	fillTip(row);
	tip.hidden = false;
	const room = chart.box.clientWidth - tip.offsetWidth;
	const left = x + 16 <= room ? x + 16 : x - 16 - tip.offsetWidth;
	tip.style.left = `${Math.max(0, Math.min(left, room))}px`;
	/* Beside the point; where there is no room below or above it. */
	const aside = left >= 0, below = y < area.top + area.height / 2;
	tip.style.top = `${aside ? Math.max(0, y - tip.offsetHeight / 2) : below ? y + 18 : y - 18 - tip.offsetHeight}px`;
	chooseRow(row);
}

function hidePoint() {
	chart.mark.replaceChildren();
	chart.tip.hidden = true;
	chooseRow(null);
}

function nearestPoint(event) {
	const box = chart.box.getBoundingClientRect();
	let best = null, least = 70 ** 2;
	for (const point of chart.points) {
		const square = (point.x - event.clientX + box.left) ** 2 + (point.y - event.clientY + box.top) ** 2;
		if (square < least)
			[best, least] = [point, square];
	}
	return best;
}

/* The point that an arrow key leads to from one: along its curve, or to the nearest of another one. */
function neighbour(point, key) {
	const own = chart.points.filter((p) => p.row[CONFIG] === point.row[CONFIG]);
	const at = own.indexOf(point);
	switch (key) {
	case "ArrowLeft": return own[at - 1];
	case "ArrowRight": return own[at + 1];
	case "Home": return own[0];
	case "End": return own[own.length - 1];
	}
	const configs = [...new Set(chart.points.map((p) => p.row[CONFIG]))];
	const step = key === "ArrowUp" ? configs.length - 1 : 1;
	const config = configs[(configs.indexOf(point.row[CONFIG]) + step) % configs.length];
	return chart.points.filter((p) => p.row[CONFIG] === config)
		.reduce((a, b) => (Math.abs(b.x - point.x) < Math.abs(a.x - point.x) ? b : a));
}

function moveFocus(event) {
	const point = chart.points.find((p) => p.node === event.target);
	if (!point || !/^Arrow|^Home$|^End$/.test(event.key))
		return;
	event.preventDefault();
	const next = neighbour(point, event.key);
	if (!next)
		return;
	point.node.setAttribute("tabindex", -1);
	next.node.setAttribute("tabindex", 0);
	next.node.focus();
}

function startChart() {
	chart.box.addEventListener("pointermove", (event) => {
		const point = nearestPoint(event);
		if (point)
			showPoint(point);
		else
			hidePoint();
	});
	chart.box.addEventListener("pointerleave", (event) => {
		if (event.pointerType === "mouse")
			hidePoint();
	});
	chart.box.addEventListener("focusin", (event) => {
		const point = chart.points.find((p) => p.node === event.target);
		if (point)
			showPoint(point);
	});
	chart.box.addEventListener("focusout", hidePoint);
	chart.box.addEventListener("keydown", moveFocus);
	let width = 0;
	new ResizeObserver(() => {
		if (chart.box.clientWidth !== width) {
			width = chart.box.clientWidth;
			drawChart();
		}
	}).observe(chart.box);
}

