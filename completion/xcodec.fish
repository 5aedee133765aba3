# SPDX-License-Identifier: BSD-2-Clause
#
# Completion of xcodec(1) for fish.  As for bash, commands, options and the values of options are read from
# the program's own help text.

# The options of a help text on standard input, a line each: letter or "-", name, value or "-", help.
function __xcodec_options
    awk 'function flush() { if (name != "") print letter "\t" name "\t" value "\t" help }
        /^  (-., |    )--[a-z]/ {
            flush()
            letter = substr($0, 3, 1) == "-" ? substr($0, 3, 2) : "-"
            help = name = substr($0, 7)
            sub(/ .*/, "", name)
            help = substr(help, length(name) + 1)
            value = "-"
            if (help ~ /^ [^ ]/) {
                value = substr(help, 2)
                sub(/ .*/, "", value)
                help = substr(help, length(value) + 2)
            }
            sub(/^ +/, "", help)
            next
        }
        name != "" && help == "" { help = $0; sub(/^ +/, "", help) }
        END { flush() }'
end

# What can stand for the value $argv[1] of a help text, after the prefix $argv[2]; $argv[3] is what was
# typed of it.
function __xcodec_values
    # words with capitals are placeholders
    if string match -q '*|*' -- $argv[1]
        printf "$argv[2]%s\n" (string split '|' -- $argv[1] | string match -rv '[A-Z]')
    end
    switch $argv[1]
        case DIR
            __fish_complete_directories $argv[3] '' | string replace -r '^' -- $argv[2]
        case '*FILE*'
            __fish_complete_path $argv[3] | string replace -r '^' -- $argv[2]
    end
end

function __xcodec_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -l count (count $words)
    if test $count -eq 1; or test $count -eq 2 -a "$words[2]" = help
        $program --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\)  *\(.*\)/\1\t\2/p'
        test $count -eq 2; or printf '%s\n' --help --version
        return
    end
    # each benchmark, the first operand, has options of its own
    set -l asked $words[2]
    test $asked = bench -a $count -gt 2; and set asked bench $words[3]
    set -l help ($program $asked --help 2>/dev/null); or return
    set -l options (printf '%s\n' $help | __xcodec_options)
    if not contains -- -- $words
        set -l option $words[$count]
        set -l prefix ''
        if set -l parts (string match -r '^(--[a-z0-9-]+=)(.*)$' -- $current)
            set prefix $parts[2]
            set current $parts[3]
            set option (string trim -rc = -- $prefix)
        end
        for line in $options
            set -l field (string split \t -- $line)
            if contains -- $option $field[1..2]; and test $field[3] != -
                __xcodec_values $field[3] $prefix $current
                return
            end
        end
        if string match -q -- '-*' $current
            for line in $options
                set -l field (string split \t -- $line)
                test $field[1] = -; or printf '%s\t%s\n' $field[1] $field[4]
                printf '%s\t%s\n' $field[2] $field[4]
            end
            return
        end
    end
    switch "$asked"
        case bench
            string match -r '[a-z]+(?:\|[a-z]+)+' -- $help[1] | string split '|'
            return
        case transform
            printf '%s\n' threshold poisson
            $program transform --list 2>/dev/null | sed 's/ .*//; /^-/d'
            string match -r '[a-z]+(?:\|[a-z]+)+' -- $help[1] | string split '|'
            __fish_complete_path $current
        case info
            __fish_complete_suffix .xc
        case decode verify
            __fish_complete_suffix .xc
            __fish_complete_suffix .tar
        case '*'
            __fish_complete_path $current
    end
end

complete -c xcodec -f -a '(__xcodec_candidates)'
