# SPDX-License-Identifier: Apache-2.0
# Completion for fish. The program itself knows what can stand there: "lightpath --complete WORDS...".
function __lightpath_candidates
    set -l words (commandline -opc) (commandline -ct)
    $words[1] --complete $words[2..-1] 2>/dev/null
end
complete -c lightpath -a '(__lightpath_candidates)'
