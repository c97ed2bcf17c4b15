# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion of erexp-inspect(1) for fish.

set -g __fish_erexp_inspect_files log.xml map.xml labels.xml warnings.xml notes overview data.frameinfo dyntext jclasses profile heaptrace iotrace synctrace hwcounters

function __fish_erexp_inspect_rules
    set -l words (commandline -op)
    set -l program (string replace -r '^~/' $HOME/ -- $words[1])
    timeout 1 $program check --rules 2>/dev/null | string replace -rf '^rule: ' ''
end

# No operand has been typed yet.
function __fish_erexp_inspect_first
    set -l words (commandline -opc)
    not string match -qvr '^-' -- $words[2..-1]
end

complete -c erexp-inspect -n __fish_erexp_inspect_first -a summary -d 'What is in it, how it ended'
complete -c erexp-inspect -n __fish_erexp_inspect_first -a tree -d 'Its processes, and who came from whom'
complete -c erexp-inspect -n __fish_erexp_inspect_first -a check -d 'What is damaged, and what not to trust'
complete -c erexp-inspect -n __fish_erexp_inspect_first -a archives -d 'Which programs and libraries it holds copies of'
complete -c erexp-inspect -n __fish_erexp_inspect_first -a dump -d 'The records of one file'
complete -c erexp-inspect -s j -l json -d 'One JSON document'
complete -c erexp-inspect -s l -l json-lines -d 'With dump: one JSON object a line'
complete -c erexp-inspect -s d -l dot -d 'With tree: a graph for dot'
complete -c erexp-inspect -s f -l file -x -a '$__fish_erexp_inspect_files' -d 'With dump: the file to show'
complete -c erexp-inspect -l thread -x -d 'With dump: only packets of this thread'
complete -c erexp-inspect -l from -x -d 'With dump: only packets from this time of the run on'
complete -c erexp-inspect -l to -x -d 'With dump: only packets up to this time of the run'
complete -c erexp-inspect -s i -l ignore -x -a '(__fish_complete_list , __fish_erexp_inspect_rules)' -d 'With check: leave these rules out'
complete -c erexp-inspect -s R -l rules -d 'With check: list all rules'
complete -c erexp-inspect -s S -l strict -d 'With check: end with status 3 for warnings too'
complete -c erexp-inspect -s m -l missing -d 'With archives: only the paths of files to fetch'
complete -c erexp-inspect -s '?' -l help -d 'Print a summary of the options'
complete -c erexp-inspect -s V -l version -d 'Print the version'
