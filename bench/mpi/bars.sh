#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# bench/mpi/bars.sh FOLDER [RANKS...]: encodes the pictures of a folder one by one with xcodec, all at once with
# xcodec, and with xcodec-mpi by each number of ranks (1 2 4), a thread each.  Prints whether the files are equal, and
# for each way the time, the processor's time a picture, what sharing out took of that, and how long workers
# waited.  Built programs are expected in the current folder.

set -eu
in=$1
shift
[ $# -gt 0 ] || set -- 1 2 4
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/xcodec-mpi-bars.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
pictures=$(find "$in" -type f | wc -l)
TIMEFORMAT='%R %U %S'

# Seconds of all, and microseconds of the processor a picture.
show() {
	awk -v what="$1" -v n="$pictures" '{ printf "%-26s %7.1f s, %7.1f us of a processor a picture\n", what, $1, 1e6 * ($2 + $3) / n }' "$2"
}

sums() {
	(cd "$1" && find . -name '*.xc' -print0 | sort -z | xargs -0 sha256sum) | sha256sum
}

one_by_one() {
	(cd "$in" && find . -type f) | while read -r name; do
		mkdir -p "$tmp/one/$(dirname "$name")"
		./xcodec encode -t 1 "$in/$name" "$tmp/one/${name%.*}.xc"
	done
}

if [ -z "${XC_NOT_ONE_BY_ONE-}" ]; then
	{ time one_by_one; } 2>"$tmp/time"
	show "xcodec, one by one" "$tmp/time"
	sums "$tmp/one" >"$tmp/wanted"
fi
for n in 1 2; do
	mkdir "$tmp/all"
	{ time ./xcodec encode -t $n -r -o "$tmp/all" "$in"; } 2>"$tmp/time"
	show "xcodec -r, $n threads" "$tmp/time"
	[ -f "$tmp/wanted" ] || sums "$tmp/all" >"$tmp/wanted"
	rm -rf "$tmp/all"
done
for ranks; do
	mkdir "$tmp/all"
	{ time mpirun --quiet --oversubscribe --bind-to none -n "$ranks" ./xcodec-mpi encode -t 1 --quiet --json -r \
		-o "$tmp/all" "$in" >"$tmp/json"; } 2>"$tmp/time"
	show "xcodec-mpi, $ranks ranks" "$tmp/time"
	sums "$tmp/all" | cmp - "$tmp/wanted" && echo "    files: equal"
	python3 - "$tmp/json" <<'END'
import json, sys
j = json.load(open(sys.argv[1]))
n = j["pictures"]
beside = sum(r["threads"] * r["seconds"] - r["busy_seconds"] for r in j["ranks"])
print("    job %.1f s; sharing out %.1f us of a processor a picture, workers without a picture %.1f us;"
      " waited, by rank: %s; the first rank to end ended %.0f ms before the last" %
      (j["seconds"], 1e6 * j["sharing_seconds"] / n, 1e6 * beside / n,
       " ".join("%.2f %%" % (100 * r["idle"]) for r in j["ranks"]),
       1e3 * (j["seconds"] - min(r["seconds"] for r in j["ranks"]))))
END
	rm -rf "$tmp/all"
done
