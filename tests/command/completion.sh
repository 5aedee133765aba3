#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Completion for zsh and fish, in these shells: commands, the options of each command, values, files.
# That for bash is tested by cli_help.sh.

. "${srcdir:-.}/tests/support/tap.sh"

command -v zsh >/dev/null || command -v fish >/dev/null || skip_all "neither zsh nor fish"
[ -z "${XC_EMULATOR-}" ] || skip_all "an emulator is slow to start for each completion"
PATH=$(dirname "$XCODEC"):$PATH HOME=$tmp
export PATH HOME
mkdir "$tmp/files" && cd "$tmp/files" || exit 99
mkdir folder
: >one.xc
: >three.png
commands=$("$XCODEC" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
lab=$(echo "$commands" | grep -x transform)
for command in $commands; do
	[ "$command" = help ] || "$XCODEC" "$command" --help >"../$command.help"
done

# joined: lines in order, as one.
joined() { sort | tr '\n' ' ' | sed 's/ $//'; }

# options_of HELP
options_of() {
	sed -n 's/^  \(-.\), \(--[a-z0-9-]*\).*/\1 \2/p; s/^      \(--[a-z0-9-]*\).*/\1/p' "$1" | tr ' ' '\n' | joined
}

# ---------------------------------------------------------------------- fish

# fish_completes NAME WANTED LINE
fish_completes() {
	fish --no-config -c "source '$SRCDIR/completion/xcodec.fish'; complete -C'$3'" 2>&1 | sed 's/	.*//' >../answer
	check_equal "fish: $1" "$2" "$(joined <../answer)"
}

if command -v fish >/dev/null; then
	check "fish: the file is a script" fish -n "$SRCDIR/completion/xcodec.fish"
	fish_completes "commands" "$(printf '%s\n' "$commands" --help --version | joined)" "xcodec "
	for command in $commands; do
		case $command in help | bench) continue ;; esac
		fish_completes "options of $command" "$(options_of "../$command.help")" "xcodec $command -"
	done
	fish_completes "the command to help with" sweep "xcodec help sw"
	fish_completes "values" "420 422 444 auto grey" "xcodec encode --subsampling "
	fish_completes "values of a short option" "420 422 444" "xcodec encode -s 4"
	fish_completes "values after =" "--huffman=default --huffman=optimized" "xcodec encode --huffman="
	fish_completes "no placeholder among values" "auto cpu cuda" "xcodec encode --device "
	fish_completes "no values for a number" "" "xcodec encode --quality "
	fish_completes "coded files" one.xc "xcodec info o"
	fish_completes "folders for results" folder/ "xcodec encode --output-dir "
	fish_completes "benchmarks" codec "xcodec bench co"
	fish_completes "options of a benchmark" "--runs" "xcodec bench codec --ru"
	fish_completes "nothing for an unknown command" "" "xcodec frobnicate -"
	[ -z "$lab" ] || fish_completes "algorithms" poisson "xcodec transform poi"
else
	skip "fish" "there is none"
fi

# ----------------------------------------------------------------------- zsh

if ! command -v zsh >/dev/null || ! zsh -f -c 'zmodload zsh/zpty' 2>/dev/null; then
	skip "zsh" "there is none, or without zpty"
	done_testing
fi
check "zsh: the file is a script" zsh -n "$SRCDIR/completion/_xcodec"

# What it asks zsh to complete, in place of zsh.
cat >../asked.zsh <<'END_OF_SCRIPT'
_arguments() { print -rl -- "$@" }
_describe() { }
completion=$1
shift
words=("$@") CURRENT=$#
source $completion
END_OF_SCRIPT
for command in $commands; do
	case $command in help | bench) continue ;; esac
	zsh -f ../asked.zsh "$SRCDIR/completion/_xcodec" xcodec "$command" - >../asked 2>&1
	check_equal "zsh: options of $command" "$(options_of "../$command.help")" \
		"$(sed -n 's/^\*\(-[^=[]*\).*/\1/p' ../asked | joined)"
done

# A zsh with a terminal: each line is completed by a key, and written to a file.
cat >../start.zsh <<'END_OF_SCRIPT'
fpath=($SRCDIR/completion $fpath)
autoload -U compinit
compinit -u -D
shown() { zle complete-word; print -r -- "$BUFFER" >>../answers; BUFFER=; print DO''NE }
zle -N shown
bindkey '^T' shown
print REA''DY
END_OF_SCRIPT
cat >../type.zsh <<'END_OF_SCRIPT'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell '. ../start.zsh'
zpty -r shell answer '*READY*'
while IFS= read -r line; do
	zpty -w -n shell "$line"$'\C-T'
	zpty -r shell answer '*DONE*'
done
zpty -d shell
END_OF_SCRIPT
# Each line: what is typed, what becomes of it.
cat >../lines <<END_OF_LINES
xcodec enc:xcodec encode
xcodec help sw:xcodec help sweep
xcodec encode --subsa:xcodec encode --subsampling=
xcodec encode --subsampling gr:xcodec encode --subsampling grey
xcodec encode --subsampling=gr:xcodec encode --subsampling=grey
xcodec encode -s gr:xcodec encode -s grey
xcodec encode --output-dir :xcodec encode --output-dir folder/
xcodec info o:xcodec info one.xc
xcodec encode thr:xcodec encode three.png
xcodec bench co:xcodec bench codec
xcodec bench codec --ru:xcodec bench codec --runs=
END_OF_LINES
if [ -n "$lab" ]; then
	echo "xcodec transform thresh:xcodec transform threshold"
	echo "xcodec transform cpu-aan a.pgm b.pgm inv:xcodec transform cpu-aan a.pgm b.pgm inverse"
fi >>../lines
sed 's/:.*//' ../lines | zsh -f ../type.zsh >../messages 2>&1
check_equal "zsh: what is typed is completed" "$(sed 's/.*://' ../lines)" "$(sed 's/ *$//' ../answers)"

done_testing
