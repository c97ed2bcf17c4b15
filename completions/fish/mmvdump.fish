# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion of mmvdump(1) for fish.

# Names of the metrics in the files that stand on the line, or where PCP's agent looks.
function __fish_mmvdump_metrics
    set -l words (commandline -op)
    set -l program (string replace -r '^~/' $HOME/ -- $words[1])
    set -l files
    for word in $words[2..-1]
        set word (string replace -r '^~/' $HOME/ -- $word)
        if test -f "$word" -o -d "$word"
            set -a files $word
        end
    end
    timeout 1 $program --json-lines -- $files 2>/dev/null | string replace -rf '.*"name":"([A-Za-z0-9_.]*)".*' '$1' | sort -u
end

complete -c mmvdump -s j -l json -d 'Everything, as one JSON document'
complete -c mmvdump -s l -l json-lines -d 'Values, one JSON object a line'
complete -c mmvdump -s v -l values -d 'Values, one "name[instance] value" a line'
complete -c mmvdump -s o -l openmetrics -d 'Values, as OpenMetrics text'
complete -c mmvdump -s m -l metric -x -a '(__fish_mmvdump_metrics)' -d 'Only these metrics or instances'
complete -c mmvdump -s f -l follow -d 'Show all values, then those that change'
complete -c mmvdump -s r -l rate -d 'With --follow: counters as change per second'
complete -c mmvdump -s t -l interval -x -d 'With --follow: look this often'
complete -c mmvdump -s s -l samples -x -d 'With --follow: end after so many looks'
complete -c mmvdump -l now -x -a now -d 'The time that running intervals run up to'
complete -c mmvdump -s '?' -l help -d 'Print a summary of the options'
complete -c mmvdump -s V -l version -d 'Print the version'
