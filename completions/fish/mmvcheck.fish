# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion of mmvcheck(1) for fish.

function __fish_mmvcheck_rules
    set -l words (commandline -op)
    set -l program (string replace -r '^~/' $HOME/ -- $words[1])
    timeout 1 $program --rules 2>/dev/null | string replace -rf '^rule: ' ''
end

complete -c mmvcheck -s j -l json -d 'One JSON document'
complete -c mmvcheck -s i -l ignore -x -a '(__fish_complete_list , __fish_mmvcheck_rules)' -d 'Leave these rules out'
complete -c mmvcheck -s r -l reader -x -a '7 6.0' -d 'Judge as this version of the agent does'
complete -c mmvcheck -s R -l rules -d 'List all rules'
complete -c mmvcheck -s S -l strict -d 'End with status 3 for warnings too'
complete -c mmvcheck -s '?' -l help -d 'Print a summary of the options'
complete -c mmvcheck -s V -l version -d 'Print the version'
