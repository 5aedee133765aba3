#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What the command says about itself: help texts, man pages and the shell
# completion, and that the three know the same options.

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99

check_status "--help" 0 "$XCODEC" --help
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' stdout | grep -vx help)
for command in encode decode info verify compare sweep; do
	check "--help lists $command" grep -q "^  $command " stdout
done
cp stdout usage
check_status "help" 0 "$XCODEC" help
check "help is --help" cmp usage stdout
check_status "-h" 0 "$XCODEC" -h
check "-h is --help" cmp usage stdout
for argument in help --help -h; do
	check_status "help $argument" 0 "$XCODEC" help "$argument"
	check "help $argument is --help" cmp usage stdout
done
check_status "help with an unknown option" 2 "$XCODEC" help --frobnicate
check_status "no arguments" 2 "$XCODEC"
check "no arguments: the help is on standard error" cmp usage stderr
check_status "--version" 0 "$XCODEC" --version
check "--version begins with the name and the number of libxcodec.pc" \
	grep -Fqx "xcodec $(sed -n 's/^Version: //p' "$BUILDDIR/libxcodec.pc")" stdout
check_status "help about nothing known" 2 "$XCODEC" help frobnicate
check_status "help with too many names" 2 "$XCODEC" help encode decode
check_status "--version takes no more" 2 "$XCODEC" --version encode

# Words on lines of their own as one line.
joined() { tr '\n' ' ' | sed 's/ $//'; }

# The long options in a help text.
help_options() {
	sed -n 's/^  -., \(--[a-z0-9-]*\).*/\1/p; s/^      \(--[a-z0-9-]*\).*/\1/p' "$1" | sort
}

# The long options that a man page describes: "Fl Fl name", wherever it stands.
page_options() {
	grep -o 'Fl Fl [a-z0-9-]*' "$1" | sed 's/Fl Fl /--/' | sort -u
}

# "LETTER NAME VALUES" of each option in a help text; "-" where there is no letter.
help_table() {
	sed -n 's/^  -\(.\), --\([a-z0-9-]*\)\( [^ ]*\)\{0,1\}.*/\1 \2\3/p
		s/^      --\([a-z0-9-]*\)\( [^ ]*\)\{0,1\}.*/- \1\2/p' "$1"
}

# synopsis_lacks HELP PAGE: the options that the synopsis has by neither of their names.
synopsis_lacks() {
	sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$2" >synopsis
	help_table "$1" | while read -r letter name values; do
		[ "$name" = help ] || grep -q -e "Fl Fl $name *$" -e "Fl Fl $name " \
			-e "^\.\(Op \)\{0,1\}Fl [a-z]*$letter" synopsis || echo "--$name $values"
	done
}

# page_lacks_values HELP PAGE: which of an option's values are not wherever the page
# lists them.
page_lacks_values() {
	help_table "$1" | grep '|' | while read -r letter name values; do
		grep -e "Fl Fl $name Cm .* |" -e "^\.Op Fl $letter Cm .* |" "$2" | while read -r line; do
			for value in $(echo "$values" | tr '|' ' '); do
				case " $line " in
				*" $value "*) ;;
				*) echo "$value" | grep '^[a-z0-9-]*$' ;; # no placeholder
				esac
			done
		done
	done
}

lint() {
	if command -v mandoc >/dev/null; then
		# other pages need not be installed
		check_equal "mandoc likes ${1##*/}" "" \
			"$(mandoc -Tlint "$1" 2>&1 | grep -v 'referenced manual not found')"
	else
		skip "mandoc likes ${1##*/}" "no mandoc"
	fi
	if man --version >/dev/null 2>&1 && command -v groff >/dev/null; then
		check_equal "man formats ${1##*/} without warnings" "" \
			"$(man --warnings -l "$1" 2>&1 >/dev/null)"
	else
		skip "man formats ${1##*/} without warnings" "no man-db or groff"
	fi
}

# Whether the build knows neither of these formats, whose options it has no use for; and one without
# the laboratory (configure --disable-lab), which has no transforms to measure.
no_png=$("$XCODEC" --version | grep -o 'no PNG' || true)
no_jpeg=$("$XCODEC" --version | grep -o 'no JPEG' || true)
case $commands in
*transform*) lab=1 ;;
*) lab='' options_of_transforms=$(printf '%s\n' --algorithms --kind --precision --seconds --sizes --table) ;;
esac

lint "$SRCDIR/man/xcodec.1"
for command in $commands; do
	check_status "$command --help" 0 "$XCODEC" "$command" --help
	cp stdout "$command.help"
	check_equal "$command --help is silent on standard error" "" "$(cat stderr)"
	check_status "$command -h" 0 "$XCODEC" "$command" -h
	check "$command -h is --help" cmp "$command.help" stdout
	check_status "help $command" 0 "$XCODEC" help "$command"
	check "help $command is $command --help" cmp "$command.help" stdout
	check_equal "$command --help begins with the usage" "Usage: xcodec $command" \
		"$(sed -n '1s/^\([^ ]* xcodec [a-z]*\) .*/\1/p' "$command.help")"
	check_equal "$command --help fits 80 columns" "" \
		"$(awk 'length($0) > 80' "$command.help")"
	check_equal "$command --help has no blanks at the ends of lines" "" \
		"$(grep -n ' $' "$command.help")"

	[ -z "$no_png" ] ||
		check_equal "$command --help offers no PNG" "" "$(grep -i '\<png' "$command.help")"

	page=$SRCDIR/man/xcodec-$command.1
	if [ ! -f "$page" ]; then
		not_ok "$command has a man page"
		continue
	fi
	lint "$page"
	# one benchmark has a help of its own
	case $command/${lab-} in bench/1) "$XCODEC" bench transforms --help >>bench.help ;; esac
	check_equal "$command: every option is in the man page's synopsis" "" \
		"$(synopsis_lacks "$command.help" "$page")"
	check_equal "$command: every value to choose is in the man page" "" \
		"$(page_lacks_values "$command.help" "$page")"
	# what several commands share is described once, in xcodec(1)
	page_options "$page" >described
	page_options "$SRCDIR/man/xcodec.1" >>described
	help_options "$command.help" >options
	check_equal "$command: every option is in the man page" "" "$(grep -vxF -f described options)"
	page_options "$page" | grep -vx -e "${no_png:+--png-level}" -e "${no_jpeg:+--jpeg-quality}" -e "${no_jpeg:+--jpeg-progressive}" -e "${options_of_transforms-}" |
		grep -vxF -f options >missing
	check_equal "$command: every option of the man page exists" "" "$(cat missing)"
done

# --------------------------------------------------------------- completion

if ! bash -c '((BASH_VERSINFO[0] >= 4))' 2>/dev/null; then
	skip "completion" "no bash 4"
	done_testing
fi
cat >complete.bash <<'END'
compopt() { :; }
complete() { :; }
. "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_xcodec
printf '%s\n' "${COMPREPLY[@]}"
END

# completes NAME WANTED WORD...: the last word is the one to complete; WANTED is
# the sorted answer.
completes() {
	case=$1 wanted=$2
	shift 2
	bash complete.bash "$SRCDIR/completion/xcodec" "$XCODEC" "$@" >answer 2>&1
	check_equal "completion: $case" "$wanted" "$(sort answer | joined)"
}

completes "commands" "$(printf '%s\n' "$commands" help --help --version | sort | joined)" ""
completes "a command begun" encode enc
completes "the command to help with" sweep help sw
for command in $commands; do
	[ "$command" != bench ] || continue # see below
	help_options "$command.help" >options
	completes "options of $command" "$(joined <options)" "$command" --
done
completes "an option begun" "--force --format" decode --fo
completes "options after a dash" \
	"--factor --fill --force --help --json --map --max-expansion --max-memory --max-metadata --max-pixels --no-sandbox --orient --peak --quiet --raw --threads -f -h -j -m -t" compare -
completes "values" "420 422 444 auto grey" encode --subsampling ""
completes "values of a short option" "420 422 444" encode -s 4
completes "values after =" "default optimized" encode --huffman = ""
completes "a value begun after =" "flat" encode --tables = f
completes "no placeholder among values" "auto cpu cuda" encode --device ""
completes "no values for a number" "" encode --quality ""
completes "nothing for an unknown command" "" frobnicate --
completes "no options after --" "" encode -- --q
completes "files after a flag are left to readline" "" encode --force ""
: >one.xc
: >'two words.xc'
: >three.png
mkdir dir
completes "coded files" "dir one.xc two words.xc" info ""
completes "a coded file begun" "one.xc" decode o
completes "folders for results" "dir" encode --output-dir ""

benchmarks=$(sed -n '1s/.* bench \([a-z|]*\) .*/\1/p' bench.help | tr '|' '\n' | sort | joined)
completes "benchmarks" "$benchmarks" bench ""
[ -z "$lab" ] || check_equal "all benchmarks" "codec gpu transforms" "$benchmarks"
completes "a benchmark begun" "codec" bench co
completes "no options before the benchmark" "--help" bench --
for benchmark in codec gpu ${lab:+transforms}; do
	"$XCODEC" bench "$benchmark" --help >help
	check_equal "bench $benchmark --help begins with the usage" \
		"Usage: xcodec bench $benchmark " "$(sed -n '1s/[[].*//p' help)"
	help_options help >options
	completes "options of bench $benchmark" "$(joined <options)" bench "$benchmark" --
done
completes "pictures for a benchmark are left to readline" "" bench codec ""
[ -n "$lab" ] || done_testing

completes "values of a benchmark's option" "all arrays" bench transforms --table a
"$XCODEC" transform --list | sed 's/ .*//; /^-/d' >algorithms
completes "algorithms" "$({ printf "%s\n" threshold poisson && cat algorithms; } | sort | joined)" transform ""
completes "algorithms after options" "$(grep '^cpu-aa' algorithms | sort | joined)" \
	transform -f --precision = 32 -t 2 cpu-aa
completes "threshold" "threshold" transform --epsilon 3 th
completes "IN and OUT are left to readline" "" transform cpu-aan in.pgm ""
completes "directions" "forward inverse" transform cpu-aan in.pgm out.pfm ""
completes "a direction begun" "inverse" transform cpu-aan in.pgm --force -- -out.pfm i

done_testing
