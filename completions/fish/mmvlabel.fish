# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion of mmvlabel(1) for fish.

# Metrics, indoms or instances of the files that stand on the line.
function __fish_mmvlabel_things
    set -l words (commandline -op)
    set -l files
    for word in $words[2..-1]
        set word (string replace -r '^~/' $HOME/ -- $word)
        test -f "$word"; and set -a files $word
    end
    test (count $files) -gt 0; or return
    timeout 1 mmvdump --json -- $files 2>/dev/null | sed -nE \
        -e '/^\{"serial":/h;/^\{"serial":/{s/^\{"serial":([0-9]+),.*/indoms \1/p;}' \
        -e '/^\{"instance":/{G;s/^\{"instance":-?[0-9]+,"name":"([A-Za-z0-9_.:-]+)".*\n\{"serial":([0-9]+),.*/instances \2\/\1/p;}' \
        -e 's/^\{"metric":[0-9]+,"name":"([A-Za-z0-9_.]*)","full_name".*/metrics \1/p' |
        string replace -rf "^$argv[1] " '' | sort -u
end

# With unset and a file on the line: the names of the labels that it has at the targets.
function __fish_mmvlabel_labels
    set -l words (commandline -opc)
    set -l option
    set -l operands
    set -l targets
    for word in $words[2..-1]
        if string match -qr '^(--metric|--indom|--instance|-[^-]*[mdi])$' -- "$option"
            set -a targets (string replace -r '^-[^-]*([mdi])$' -- '-$1' $option) $word
            set option
        else if test -n "$option"
            set option
        else if string match -qr '^(--metric|--indom|--instance)=' -- $word
            set -a targets $word
        else if string match -qr '^(--metric|--indom|--instance|--cluster|-[^-]*[mdic])$' -- $word
            set option $word
        else if not string match -q -- '-*' $word
            set -a operands $word
        end
    end
    test "$operands[1]" = unset -a (count $operands) -gt 1; or return 1
    test (count $targets) -gt 0; or set targets -r
    timeout 1 mmvlabel list --json $targets -- (string replace -r '^~/' $HOME/ -- $operands[2]) 2>/dev/null | sed -nE \
        -e '/^\{"level":/{s/,"name":"/\n/;s/^.*\n([A-Za-z0-9_.]+)".*/\1/p;}' | sort -u
end

set -l verbs list set unset clear
complete -c mmvlabel -n "not __fish_seen_subcommand_from $verbs" -f
complete -c mmvlabel -n "not __fish_seen_subcommand_from $verbs" -a list -d 'Show labels'
complete -c mmvlabel -n "not __fish_seen_subcommand_from $verbs" -a set -d 'Set labels'
complete -c mmvlabel -n "not __fish_seen_subcommand_from $verbs" -a unset -d 'Remove labels by name'
complete -c mmvlabel -n "not __fish_seen_subcommand_from $verbs" -a clear -d 'Remove all labels of a target'
complete -c mmvlabel -n '__fish_mmvlabel_labels >/dev/null' -f -a '(__fish_mmvlabel_labels)' -d 'Label'
complete -c mmvlabel -s j -l json -d 'list: one JSON document'
complete -c mmvlabel -s e -l effective -d 'list: also what comes of the labels'
complete -c mmvlabel -s r -l registry -d 'Labels of the file, for all its metrics'
complete -c mmvlabel -s m -l metric -x -a '(__fish_mmvlabel_things metrics)' -d 'Of metrics'
complete -c mmvlabel -s d -l indom -x -a '(__fish_mmvlabel_things indoms)' -d 'Of an instance domain'
complete -c mmvlabel -s i -l instance -x -a '(__fish_mmvlabel_things instances)' -d 'Of its instances'
complete -c mmvlabel -s A -l all -d 'clear: all labels of all levels'
complete -c mmvlabel -s o -l optional -d 'set: say that the label is optional'
complete -c mmvlabel -s c -l cluster -x -d 'set: give the file this cluster if it is 0'
complete -c mmvlabel -s n -l dry-run -d 'Tell what would be done'
complete -c mmvlabel -s f -l force -d 'Replace a file that is in use, if need be'
complete -c mmvlabel -s '?' -l help -d 'Print a summary of the options'
complete -c mmvlabel -s V -l version -d 'Print the version'
