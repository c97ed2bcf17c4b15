# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion of evarray(1) for fish.

function __fish_evarray_rules
    printf '%s\n' E0(seq 9) E1(seq 0 3) W0(seq 9) W1(seq 0 3)
end

function __fish_evarray_flags
    printf '%s\n' point start end id parent missed none
end

set -l verbs dump verify pack
complete -c evarray -n "not __fish_seen_subcommand_from $verbs" -f
complete -c evarray -n "not __fish_seen_subcommand_from $verbs" -a dump -d 'Show the records'
complete -c evarray -n "not __fish_seen_subcommand_from $verbs" -a verify -d 'Tell what is wrong with the arrays'
complete -c evarray -n "not __fish_seen_subcommand_from $verbs" -a pack -d 'Make an array of JSON lines'
complete -c evarray -s a -l archive -r -d 'Arrays of this PCP archive'
complete -c evarray -s h -l host -x -a '(__fish_print_hostnames)' -d 'Arrays of the pmcd of this host'
complete -c evarray -s L -l local -d 'Arrays of agents loaded here'
complete -c evarray -s K -l spec-local -x -d 'Which agents'
complete -c evarray -s S -l start -x -d 'Begin at this time'
complete -c evarray -s T -l finish -x -d 'End at this time'
complete -c evarray -s A -l align -x -d 'Begin at a multiple of this'
complete -c evarray -s O -l origin -x -d 'Begin here within -S and -T'
complete -c evarray -s z -l hostzone -d 'Times in the zone of the archive or host'
complete -c evarray -s Z -l timezone -x -d 'Times in this zone'
complete -c evarray -s n -l namespace -r -d 'Names of metrics, from this file'
complete -c evarray -s s -l samples -x -d 'End after this many samples'
complete -c evarray -s f -l follow -d 'Go on as the archive grows, or fetch for ever'
complete -c evarray -s t -l interval -x -d 'Look or fetch this often'
complete -c evarray -s l -l json-lines -d 'dump: one JSON object a record'
complete -c evarray -s c -l csv -d 'dump: comma-separated values'
complete -c evarray -s j -l json -d 'verify: one JSON document'
complete -c evarray -l stats -d 'dump: count instead'
complete -c evarray -s e -l empty -d 'dump: show arrays without records too'
complete -c evarray -s F -l flag -x -a '(__fish_complete_list , __fish_evarray_flags)' -d 'dump: records with one of these flags'
complete -c evarray -s p -l param -x -d 'dump: records with this parameter'
complete -c evarray -s r -l resolution -x -a 'auto us ns' -d 'pack: kind of the array'
complete -c evarray -s b -l big-endian -d 'pack: as in archives and on the wire'
complete -c evarray -s m -l max-bytes -x -d 'pack: begin another array beyond this'
complete -c evarray -l truncate -d 'pack: cut nanoseconds to microseconds'
complete -c evarray -l compat -d 'pack: cut times, take missed counts below 0'
complete -c evarray -s i -l ignore -x -a '(__fish_complete_list , __fish_evarray_rules)' -d 'verify: leave these rules out'
complete -c evarray -s R -l rules -d 'verify: list all rules'
complete -c evarray -l strict -d 'verify: end with status 3 for warnings too'
complete -c evarray -l all -d 'verify: W04 and W11 in archives and of hosts too'
complete -c evarray -s '?' -l help -d 'Print a summary of the options'
complete -c evarray -s V -l version -d 'Print the version'
