#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# xcodec-mpi on a machine with several GPUs: the GPUs' files against the processor's, then how fast ranks on one GPU
# and on all of them are, with several ranks a GPU, from PPM, from tar shards and from PNG, for several numbers of
# threads a rank.  In the folder of a build that has the CUDA module and xcodec-mpi:
#
#	../tests/device/mpi.sh [-n PICTURES] [-s WIDTHxHEIGHT] [PICTURE...]
#
# Everything is in memory, below /dev/shm: one picture under PICTURES (4000) names, a sixteenth as many in a tar file under
# sixteen names (6 GB of 3840x2160), and the results.  A tenth of the names are used as PNG.  That many, since each rank
# takes a quarter of a second to start CUDA.  Without pictures the meadow of samples/ is tiled.  Exit status: 0 all is well and
# all GPUs are 1.9 times as fast as one from PPM or shards for two GPUs, or as much for more of them; 1 something is
# not; 77 fewer than two GPUs, or no MPI.

set -u
pictures=4000 size=3840x2160 shards=16
while getopts n:s: option; do
	case $option in
	n) pictures=$OPTARG ;;
	s) size=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
[ $# -gt 0 ] || set -- "$top/samples/meadow.png"
gpus=$(nvidia-smi --list-gpus 2>/dev/null | wc -l)
cores=$(nproc)
if [ "$gpus" -lt 2 ] || [ ! -x ./xcodec-mpi ] || ! command -v mpirun >/dev/null; then
	echo "skipped: $gpus GPUs, or no xcodec-mpi, or no mpirun"
	exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
XC_CUDA_MODULE=$PWD/xcodec-cuda.so
export XC_CUDA_MODULE
tmp=$(mktemp -d /dev/shm/xcodec-mpi.XXXXXX) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

complain() {
	echo "FAILED: $*"
	failed=1
}

# Equal pixels under many names: what is read is in memory anyway.
mkdir "$tmp/ppm" "$tmp/png" "$tmp/shards"
bench/tools/tile -s "$size" "$tmp/ppm/0.ppm" "$@" || exit 1
./xcodec encode --preset jpeg -q 100 --quiet "$tmp/ppm/0.ppm" "$tmp/0.xc" &&
	./xcodec decode --quiet "$tmp/0.xc" "$tmp/png/0.png" || exit 1
# link FROM TO COUNT: that many names of a file, FROM with a number for the %
link() {
	for i in $(seq 1 $(($3 - 1))); do
		ln "$1" "${2%%%*}$i${2#*%}"
	done
}
link "$tmp/ppm/0.ppm" "$tmp/ppm/%.ppm" "$pictures"
link "$tmp/png/0.png" "$tmp/png/%.png" $((pictures / 10))
# tar would keep links as links.
(cd "$tmp/ppm" && seq 0 $((pictures / shards - 1)) | sed 's/$/.ppm/' |
	tar --hard-dereference -cf "$tmp/shards/0.tar" -T -)
link "$tmp/shards/0.tar" "$tmp/shards/%.tar" $shards

# run NAME RANKS THREADS GPUS IN...: prints 10^9 pixels a second, which are in $rate then.
run() {
	local name=$1 ranks=$2 threads=$3 visible=$4
	shift 4
	rm -rf "$tmp/out"
	mkdir "$tmp/out"
	CUDA_VISIBLE_DEVICES=$visible mpirun --quiet --oversubscribe --bind-to none -n "$ranks" ./xcodec-mpi encode \
		-d cuda --preset jpeg -t "$threads" --quiet --json -r --tars -o "$tmp/out" "$@" >"$tmp/json" || complain "$name"
	rate=$(awk -F'[:,]' '/"pixels_per_second"/ { print $2 / 1e9; exit }' "$tmp/json")
	idle=$(awk -F'[:,]' '/^  "idle":/ { print 100 * $2; exit }' "$tmp/json")
	printf '%-40s %8.2f GP/s, idle %.1f %%\n' "$name" "$rate" "$idle"
}

all=$(seq -s, 0 $((gpus - 1)))
threads=$((cores / gpus))

echo "== files"
run "all GPUs, from PPM" "$gpus" "$threads" "$all" "$tmp/ppm"
./xcodec encode --preset jpeg --quiet "$tmp/ppm/0.ppm" "$tmp/cpu.xc" || complain "the processor"
sums=$(find "$tmp/out" -name '*.xc' -exec cksum {} + | awk '{ print $1, $2 }' | sort -u)
[ "$sums" = "$(cksum <"$tmp/cpu.xc")" ] || complain "files differ from the processor's"
[ "$(find "$tmp/out" -name '*.xc' | wc -l)" -eq "$pictures" ] || complain "files are missing"

for kind in ppm shards png; do
	echo "== $kind: a rank a GPU, $threads threads a rank"
	run "one GPU" 1 "$threads" 0 "$tmp/$kind"
	one=$rate
	run "$gpus GPUs" "$gpus" "$threads" "$all" "$tmp/$kind"
	awk -v kind="$kind" -v one="$one" -v all="$rate" -v gpus="$gpus" 'BEGIN {
		printf "%s: %.2f times one GPU\n", kind, all / one
		exit !(kind == "png" || all / one >= 0.95 * gpus)
	}' || complain "$kind: less than 0.95 times $gpus"
done

echo "== several ranks a GPU, from PPM"
for each in 2 4; do
	run "$each ranks a GPU" $((each * gpus)) $((threads / each > 0 ? threads / each : 1)) "$all" "$tmp/ppm"
done

echo "== threads that a GPU needs"
for kind in ppm png; do
	for t in 1 2 4 8 16 32; do
		[ $t -gt $threads ] || run "$kind, one GPU, $t threads" 1 $t 0 "$tmp/$kind"
	done
done
exit $failed
