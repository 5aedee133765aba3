/* SPDX-License-Identifier: BSD-2-Clause */
"use strict";

/* ------------------------------------------------- what was measured, and what is shown of it */

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);

/* Members of a row; the measures follow each other. */
const CONFIG = 0, QUALITY = 1, BYTES = 2, RATE = 3, MEASURE = 4;
/* The index of the means in data.rows and data.deltas. */
const MEAN = data.pictures.length;

/* Which measures are known: grey pictures have none of colour. */
const known = data.measures.map((measure, i) => i)
	.filter((i) => data.rows.some((rows) => rows.some((row) => row[MEASURE + i] !== null)));
/* A set of one picture needs no mean. */
const state = { measure: known[0] ?? 0, picture: MEAN === 1 ? 0 : MEAN, logarithmic: true, hidden: new Set() };

/* Makes an element of HTML or, with svg(), of SVG.  Children are elements or strings. */
function fill(node, attributes, children) {
	for (const [name, value] of Object.entries(attributes))
		node.setAttribute(name, value);
	node.append(...children);
	return node;
}
const html = (name, attributes = {}, ...children) =>
	fill(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) =>
	fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

const MINUS = "\u2212";
const number = (value, digits) =>
	value === null ? "\u2013" : value.toFixed(digits).replace("-", MINUS);
const signed = (value, digits) => (value < 0 ? "" : "+") + number(value, digits);
const grouped = (value) => Math.round(value).toLocaleString("en").replaceAll(",", "\u202f");

const pictureName = (picture) =>
	picture === MEAN ? `mean of ${MEAN} pictures` : data.pictures[picture];
/* The class of a configuration's colour. */
const colourOf = (config) => `xc-${config % 8}`;
const withUnit = (measure, separator) =>
	measure.title + (measure.unit ? separator + measure.unit : "");
const shown = (value, measure) =>
	number(value, measure.digits) + (measure.unit ? "\u00a0" + measure.unit : "");

/* Fills a <select> with [value, text] pairs. */
function options(select, pairs, chosen) {
	select.replaceChildren(...pairs.map(([value, text]) => html("option", { value }, text)));
	select.value = chosen;
}
