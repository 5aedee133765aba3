#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# bench/mpi/memory.sh LIST DIR [OPTION...]: runs `xcodec-mpi encode --list LIST -o DIR` with two ranks and prints their resident
# memory now and then.  Built programs are expected in the current folder.

set -eu
list=$1
dir=$2
shift 2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun --quiet --oversubscribe --bind-to none -n 2 ./xcodec-mpi encode -t 1 --list "$list" -o "$dir" "$@" 2>"$dir.log" &
job=$!
sleep 1
ranks=$(pgrep -P $job)
pause=1
while kill -0 $job 2>/dev/null; do
	printf '%5d s:' $SECONDS
	for rank in $ranks; do
		awk '/^VmHWM/ { most = $2 } /^VmRSS/ { printf " %8d KiB, at most %8d", $2, most }' "/proc/$rank/status" 2>/dev/null || :
	done
	echo
	sleep $pause
	pause=$((pause < 30 ? 2 * pause : 30))
done
wait $job || echo "exit status $?"
tail -n 6 "$dir.log"
