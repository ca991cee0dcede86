# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Completion of octuple(1) for bash. Commands and options are those that the command's own help lists.
# shellcheck shell=bash

_octuple() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words i
    COMPREPLY=()
    for ((i = 2; i < COMP_CWORD; i++)); do
        if [ "${COMP_WORDS[i]}" = -- ]; then # what follows is a command of its own
            declare -F _command_offset >/dev/null && _command_offset $((i + 1))
            return
        fi
    done
    if [ "$COMP_CWORD" -eq 1 ]; then
        words=$("${COMP_WORDS[0]}" --help 2>/dev/null |
            sed -n -e '/^Commands:/,/^$/ s/^  \([a-z]*\) .*/\1/p' -e 's/^  -[a-zA-Z], \(--[a-z-]*\).*/\1/p')
    elif [ "${word#-}" != "$word" ]; then
        words=$("${COMP_WORDS[0]}" "$command" --help 2>/dev/null | sed -n 's/^  -[a-zA-Z], \(--[a-z-]*\).*/\1/p')
    else
        case $command in
        doctor | top | trace) words=$(ps -eo comm= | sort -u) ;;
        unit)
            [ "$COMP_CWORD" -eq 2 ] && words='on off' ||
                words=$(systemctl list-unit-files --type=service --no-legend 2>/dev/null | sed 's/\.service .*//')
            ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _octuple octuple
