# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion of mmvset(1) for fish.

# The operands before the word that is being typed; the first one is the file.
function __fish_mmvset_operands
    set -l words (commandline -opc)[2..-1]
    test (count $words) -gt 0; and string match -v -- '-*' $words
end

# What can be assigned to in it. mmvdump knows; without it there is nothing to offer.
function __fish_mmvset_targets
    set -l operands (__fish_mmvset_operands)
    set -l file (string replace -r '^~/' $HOME/ -- $operands[1])
    timeout 1 mmvdump --values -- $file 2>/dev/null | string replace -rf '^([A-Za-z0-9_.]*(\[[^]" ]*\])?) .*' '$1='
end

complete -c mmvset -n '__fish_mmvset_operands >/dev/null' -f -a '(__fish_mmvset_targets)'
complete -c mmvset -s n -l dry-run -d 'Print the values that would be set, and set none'
complete -c mmvset -s p -l print -d 'Print each new value'
complete -c mmvset -s l -l json-lines -d 'Print each new value, as one JSON object a line'
complete -c mmvset -s '?' -l help -d 'Print a summary of the options'
complete -c mmvset -s V -l version -d 'Print the version'
