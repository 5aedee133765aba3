/* -------------------------------------------------------------------------- tables and deltas */

const rowNodes = new Map(); /* from rows of data to <tr> */
let chosenRow = null;

/* Marks the row in the table. */
function chooseRow(row) {
	chosenRow?.classList.remove("chosen");
	chosenRow = rowNodes.get(row);
	chosenRow?.classList.add("chosen");
}

/* What a cell is sorted by. */
function cellValue(row, column) {
	const text = row.cells[column].textContent.trim();
	if (column === 0)
		return text;
	return text === "\u221e" ? Infinity : text === "\u2013" ? -Infinity : Number(text);
}

function sortTable(table, column) {
	const headings = [...table.tHead.rows[0].cells], body = table.tBodies[0];
	const up = headings[column].getAttribute("aria-sort") !== "ascending";
	headings.forEach((cell) => cell.removeAttribute("aria-sort"));
	headings[column].setAttribute("aria-sort", up ? "ascending" : "descending");
	const order = (a, b) => {
		const x = cellValue(a, column), y = cellValue(b, column);
		return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1);
	};
	body.append(...[...body.rows].sort(order));
}

/* Shadows at the edges of a box tell where more of it can be scrolled to. */
function startEdges() {
	for (const box of document.querySelectorAll(".scroll")) {
		const edges = html("div", { class: "edges" });
		const look = () => {
			edges.classList.toggle("more-left", box.scrollLeft > 1);
			edges.classList.toggle("more-right", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
			edges.classList.toggle("more-below", box.scrollTop + box.clientHeight < box.scrollHeight - 1);
		};
		box.before(edges);
		edges.append(box);
		box.addEventListener("scroll", look, { passive: true });
		const observer = new ResizeObserver(look);
		[box, ...box.children].forEach((node) => observer.observe(node));
	}
}

function startTables() {
	for (const details of document.querySelectorAll("#points details")) {
		const table = details.querySelector("table");
		const index = Number(details.dataset.picture);
		const rows = data.rows[index < 0 ? MEAN : index];
		[...table.tBodies[0].rows].forEach((node, i) => rowNodes.set(rows[i], node));
		[...table.tHead.rows[0].cells].forEach((cell, column) => {
			const button = html("button", { type: "button" }, ...cell.childNodes);
			cell.append(button);
			button.addEventListener("click", () => sortTable(table, column));
		});
	}
}

/* Shows the table of the chosen picture alone. */
function showTable() {
	for (const details of document.querySelectorAll("#points details")) {
		const index = Number(details.dataset.picture);
		details.hidden = (index < 0 ? MEAN : index) !== state.picture;
		details.open = true;
	}
}

function fillDelta(cell, [rate, gain, pictures]) {
	const lines = [];
	if (gain !== null)
		lines.push(`${signed(gain, 2)}\u00a0${data.measures[state.measure].scale}`);
	if (state.picture === MEAN && pictures && pictures < MEAN)
		lines.push(`${pictures} of ${MEAN} pictures`);
	cell.className = rate === null ? "none" : rate < 0 ? "better" : "";
	cell.replaceChildren(rate === null ? "no overlap" : `${signed(rate, 2)}\u00a0%`,
		html("small", {}, lines.join(", ")));
}

/* Shows the deltas of the chosen measure and picture. */
function showDeltas() {
	const deltas = data.deltas[state.picture], count = data.configs.length;
	if (!deltas)
		return;
	for (const table of document.querySelectorAll("table.deltas")) {
		table.hidden = Number(table.dataset.metric) !== state.measure;
		if (table.hidden)
			continue;
		table.caption.textContent = `${data.measures[state.measure].title}, ${pictureName(state.picture)}`;
		[...table.tBodies[0].rows].forEach((row, anchor) => {
			for (let config = 0; config < count; config++)
				if (config !== anchor)
					fillDelta(row.cells[1 + config], deltas[state.measure][anchor * count + config]);
		});
	}
}
