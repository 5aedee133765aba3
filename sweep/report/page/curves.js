/* ------------------------------------------------------------------ curves and axes as numbers */

/* For each configuration its rows that can be drawn, by rate. */
function curvesOf(picture, measure) {
	const curves = data.configs.map(() => []);
	for (const row of data.rows[picture])
		if (row[MEASURE + measure] !== null && row[RATE] > 0)
			curves[row[CONFIG]].push(row);
	for (const curve of curves)
		curve.sort((a, b) => a[RATE] - b[RATE]);
	return curves;
}

/* What a curve has of `want`, a function of a row, where `have` is at; null beyond its ends.  Straight lines lie
 * between points. */
function interpolate(curve, have, at, want) {
	for (let i = 1; i < curve.length; i++) {
		const a = have(curve[i - 1]), b = have(curve[i]);
		if (at >= Math.min(a, b) && at <= Math.max(a, b) && a !== b) {
			const part = (at - a) / (b - a);
			return want(curve[i - 1]) * (1 - part) + want(curve[i]) * part;
		}
	}
	return null;
}

/* The smallest step of 1, 2, 2.5 or 5 times a power of 10 that is not below `least`. */
function roundStep(least) {
	const decade = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 2.5, 5, 10].map((part) => part * decade).find((step) => step > least * 0.999999);
}

function linearTicks(low, high, wanted) {
	const step = roundStep((high - low) / wanted), ticks = [];
	for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++)
		ticks.push(Number((i * step).toPrecision(12)));
	return ticks;
}

function logTicks(low, high, wanted) {
	for (const parts of [[1], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 7]]) {
		const ticks = [];
		for (let d = Math.floor(Math.log10(low)); d <= Math.log10(high); d++)
			ticks.push(...parts.map((part) => Number((part * 10 ** d).toPrecision(12)))
				.filter((tick) => tick >= low && tick <= high));
		if (ticks.length >= Math.min(wanted, 5))
			return ticks;
	}
	return linearTicks(low, high, 5);
}

/* An axis: the ends, the ticks, and place(), 0 to 1. */
function axisOf(values, logarithmic, wanted) {
	const scale = logarithmic ? Math.log : (v) => v, back = logarithmic ? Math.exp : (v) => v;
	let low = scale(Math.min(...values)), high = scale(Math.max(...values));
	if (!values.length)
		[low, high] = [scale(0.1), scale(1)];
	const margin = high > low ? 0.04 * (high - low) : 0.5 * Math.max(Math.abs(high), 1e-3);
	low -= margin;
	high += margin;
	const ticks = logarithmic ? logTicks(back(low), back(high), wanted) : linearTicks(low, high, wanted);
	return { ticks, place: (value) => (scale(value) - low) / (high - low) };
}
