# shellcheck shell=sh disable=SC2154 # tap.sh sets tmp
# SPDX-License-Identifier: BSD-2-Clause
#
# What tests of xcodec-mpi need beside tap.sh: $program, and `ranks N ARGUMENT...`, which runs it with N
# processes on this machine.  Ends the test where there is no MPI.

program=$BUILDDIR/xcodec-mpi
[ -x "$program" ] || skip_all "built without MPI"
[ -z "${XC_EMULATOR-}" ] || skip_all "mpirun starts no emulators"
command -v mpirun >/dev/null || skip_all "no mpirun"

# Containers run tests as root, which Open MPI wants to be told twice.
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Open MPI keeps some memory until the end.
ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM ASAN_OPTIONS
mpirun=mpirun
case $(mpirun --version 2>/dev/null) in
*"Open MPI"*)
	mpirun='mpirun --quiet --oversubscribe --bind-to none'
	# One machine needs no network, which takes half of the time to find.
	OMPI_MCA_pml=ob1
	OMPI_MCA_btl=self,vader
	OMPI_MCA_plm=isolated
	export OMPI_MCA_pml OMPI_MCA_btl OMPI_MCA_plm
	;;
esac

# Ranks append their messages to one file: mpirun passes them on in pieces, which may divide lines, and adds lines of
# its own.
ranks() {
	ranks=$1
	shift
	: >"$tmp/messages"
	# shellcheck disable=SC2016,SC2086 # the shell of each rank; a list of words
	$mpirun -n "$ranks" sh -c 'exec "$0" "$@" 2>>"$XC_MESSAGES"' "$program" "$@" </dev/null
	set -- $?
	cat "$tmp/messages" >&2
	return "$1"
}
XC_MESSAGES=$tmp/messages
export XC_MESSAGES

ranks 2 --version >/dev/null 2>&1 || skip_all "mpirun cannot start processes here"
