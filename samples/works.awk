# SPDX-License-Identifier: BSD-2-Clause
#
# Prints a table for samples/works.sh: awk -f works.awk -v values=FILE -v measure=M -v unit=U -v sizes=LIST FILE TABLE.
# FILE has what was measured: algorithm, bits, threads, size, direction, then from column 6 on the seconds of wall clock,
# of the kernel and of the processor, the share of a copy's rate, and the seconds of the three stages and of the plan.  TABLE has
# lines of works.txt.

BEGIN {
	count = split(sizes, list, ",")
	for (i = 1; i <= count; i++)
		wanted[list[i]]
	column = measure == "wall" || measure == "speed" ? 6 : measure == "kernel" || measure == "ratio" ? 7 : measure == "share" ? 9 : measure == "plan" ? 13 : 8
	factor = unit == "s" ? 1000 : unit == "us" ? 0.001 : 1
	timed = unit != "-"
}

function full(size)
{
	return size ~ /x/ ? size : size "x" size
}

# The value of a row at a size by the measure, the least of several algorithms; "" if there is none.
function value(algorithms, bits, threads, direction, size, column,    n, a, i, v, best)
{
	n = split(algorithms, a, ",")
	best = ""
	for (i = 1; i <= n; i++) {
		v = direction == "both" ? mean(a[i], bits, threads, size, column) : at[a[i], bits, threads, full(size), direction, column]
		if (v != "" && v != "-" && (best == "" || v + 0 < best))
			best = v + 0
	}
	return best
}

# Of both directions.
function mean(name, bits, threads, size, column,    f, i)
{
	f = at[name, bits, threads, full(size), "forward", column]
	i = at[name, bits, threads, full(size), "inverse", column]
	return f == "" || f == "-" || i == "" || i == "-" ? f : (f + i) / 2
}

function shown(v)
{
	return v == "" ? "-" : sprintf(v >= 100 ? "%.1f" : v >= 1 ? "%.3f" : "%.4f", v)
}

# A row's value; NAME:2 is the last one of three stages.
function of_row(f, size,    name, at_colon)
{
	name = f[3]
	at_colon = index(name, ":")
	return value(at_colon ? substr(name, 1, at_colon - 1) : name, f[4], f[5], f[6], size,
	             at_colon ? 10 + substr(name, at_colon + 1) : column)
}

# All three stages.
function whole(f, size,    i, v, sum)
{
	for (i = 0; i < 3; i++) {
		v = value(substr(f[3], 1, index(f[3], ":") - 1), f[4], f[5], f[6], size, 10 + i)
		if (v == "")
			return ""
		sum += v
	}
	return sum
}

function ours_of(f, b, size,    v, other)
{
	v = of_row(f, size)
	if (v == "" || timed || measure == "share")
		return timed && v != "" ? 1000 * v : v
	if (based)
		other = of_row(b, size)
	else
		other = whole(f, size) / 100
	if (other == "" || other == 0 || v == 0)
		return ""
	return measure == "speed" || measure == "load" ? other / v : v / other
}

function paper_of(figure,    less)
{
	if (!timed || figure !~ /^<?[0-9.]+$/)
		return figure
	less = sub(/^</, "", figure) ? "<" : ""
	return less (factor == 1 ? figure : sprintf("%.4g", figure * factor))
}

FILENAME == values {
	for (i = 6; i <= NF; i++)
		at[$1, $2, $3, $4, $5, i] = $i
	next
}
$1 == "sizes" {
	for (i = 2; i <= NF; i++)
		size[i - 1] = $i
	columns = NF - 1
}
$1 == "row" || $1 == "base" {
	line[++rows] = $0
}
$1 == "base" {
	split($0, base, " ")
	based = 1
}
END {
	format = "%-24s %-20s %4s %7s %11s %11s %11s %8s\n"
	printf format, "paper", "here", "bits", "threads", "size", "paper's", "ours", timed ? "faster" : "ratio"
	for (r = 1; r <= rows; r++) {
		split(line[r], f, " ")
		many = split(f[3], name, ",")
		gsub(/_/, " ", f[2])
		for (s = 1; s <= columns; s++) {
			if (!(size[s] in wanted) || f[6 + s] == ".")
				continue
			ours = ours_of(f, base, size[s])
			paper = paper_of(f[6 + s])
			compared = paper ~ /^[0-9.]+$/ && paper > 0 && ours != "" && ours > 0
			printf format, f[2], (many > 1 ? "best of " many : f[3]), f[4], f[5], size[s], paper, shown(ours),
			       compared ? sprintf("%.2f", timed ? paper / ours : ours / paper) : "-"
		}
	}
}
