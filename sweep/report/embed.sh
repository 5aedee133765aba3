#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Prints C for sweep/report/html_parts.h: `sweep/report/embed.sh FILE...`, where the files of one kind follow each other.
set -e

array() { # NAME FILE...
	name=$1
	shift
	echo "static const unsigned char ${name}_text[] = {"
	cat "$@" | od -A n -v -t u1 | sed 's/[0-9][0-9]*/&,/g'
	echo "};"
	echo "const xc_sweep_page xc_sweep_page_$name = {${name}_text, sizeof ${name}_text};"
}

html='' style='' script=''
for file; do
	case $file in
	*.html) html="$html $file" ;;
	*.css) style="$style $file" ;;
	*.js) script="$script $file" ;;
	esac
done

echo '/* Made by sweep/report/embed.sh. */'
echo '#include "sweep/report/html_parts.h"'
# shellcheck disable=SC2086 # lists of files
{
	array html $html
	array style $style
	array script $script
}
