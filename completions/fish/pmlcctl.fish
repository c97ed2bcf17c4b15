# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion of pmlcctl(1) for fish.

set -l verbs query mandatory-on mandatory-off mandatory-maybe advisory-on advisory-off status list new-volume flush

# Names of metrics; without a pmcd there are none to offer.
function __fish_pmlcctl_metrics
    timeout 1 pminfo 2>/dev/null
end

function __fish_pmlcctl_pids
    set -l program (string replace -r '^~/' $HOME/ -- (commandline -op)[1])
    timeout 1 $program list --timeout 200ms 2>/dev/null | string replace -rf '^(\d+) .*' '$1'
end

complete -c pmlcctl -f
complete -c pmlcctl -n "not __fish_seen_subcommand_from $verbs" -a query -d 'Show how metrics are logged'
complete -c pmlcctl -n "not __fish_seen_subcommand_from $verbs" -a mandatory-on -d 'Log them, come what may'
complete -c pmlcctl -n "not __fish_seen_subcommand_from $verbs" -a mandatory-off -d 'Do not log them, come what may'
complete -c pmlcctl -n "not __fish_seen_subcommand_from $verbs" -a mandatory-maybe -d 'Leave it to advisory requests'
complete -c pmlcctl -n "not __fish_seen_subcommand_from $verbs" -a advisory-on -d 'Log them, if nothing mandatory is set'
complete -c pmlcctl -n "not __fish_seen_subcommand_from $verbs" -a advisory-off -d 'Do not log them, likewise'
complete -c pmlcctl -n "not __fish_seen_subcommand_from $verbs" -a status -d 'Show how the logger is'
complete -c pmlcctl -n "not __fish_seen_subcommand_from $verbs" -a list -d 'Show which loggers there are'
complete -c pmlcctl -n "not __fish_seen_subcommand_from $verbs" -a new-volume -d 'Have it start a new volume'
complete -c pmlcctl -n "not __fish_seen_subcommand_from $verbs" -a flush -d 'Nothing any more'
complete -c pmlcctl -n "__fish_seen_subcommand_from $verbs[1..6]" -a '(__fish_pmlcctl_metrics)'
complete -c pmlcctl -s P -l primary -d 'The primary logger'
complete -c pmlcctl -l pid -x -a '(__fish_pmlcctl_pids)' -d 'The logger that is this process'
complete -c pmlcctl -s h -l host -x -a '(__fish_print_hostnames)' -d 'A logger of this host, over TCP'
complete -c pmlcctl -s p -l port -x -d 'The logger at this TCP port'
complete -c pmlcctl -l socket -r -F -d 'The logger at this unix socket'
complete -c pmlcctl -s t -l interval -x -a once -d 'How often to log'
complete -c pmlcctl -l force -d 'Take intervals below 10 ms'
complete -c pmlcctl -s n -l dry-run -d 'Show what would become of it'
complete -c pmlcctl -l timeout -x -d 'How long an answer may take'
complete -c pmlcctl -l busy-wait -x -d 'How long to try while it is busy'
complete -c pmlcctl -s j -l json -d 'Print JSON'
complete -c pmlcctl -s '?' -l help -d 'Print a summary of the options'
complete -c pmlcctl -s V -l version -d 'Print the version'
