# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion of mmvcreate(1) for fish.

# mmvcheck knows the rules; without it there are none to offer.
function __fish_mmvcreate_rules
    echo all
    command -q mmvcheck; and timeout 1 mmvcheck --rules 2>/dev/null | string replace -rf '^rule: ' ''
end

complete -c mmvcreate -s o -l output -r -F -d 'Write this file'
complete -c mmvcreate -s f -l force -d 'Replace a file that is there already'
complete -c mmvcreate -s n -l dry-run -d 'Tell what would be written'
complete -c mmvcreate -s a -l allow -x -a '(__fish_complete_list , __fish_mmvcreate_rules)' -d 'Write it though it breaks these rules'
complete -c mmvcreate -s m -l mode -x -a '0644 0640 0600' -d 'Permissions of the file'
complete -c mmvcreate -s '?' -l help -d 'Print a summary of the options'
complete -c mmvcreate -s V -l version -d 'Print the version'
