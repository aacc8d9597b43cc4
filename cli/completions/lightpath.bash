# SPDX-License-Identifier: Apache-2.0
# Completion for bash. The program itself knows what can stand there: "lightpath --complete WORDS...".
_lightpath()
{
    local line=${COMP_LINE:0:COMP_POINT} word candidate
    local -a words
    # By blanks alone: bash's own words also end at "=".
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    word=${words[-1]}
    COMPREPLY=()
    while IFS=$'\t' read -r candidate _; do
        # bash replaces what stands behind the last "=".
        [[ $word == *=* && $COMP_WORDBREAKS == *=* ]] && candidate=${candidate#"${word%=*}="}
        COMPREPLY+=("$candidate")
    done < <("${words[0]}" --complete "${words[@]:1}" 2>/dev/null)
    # A word that goes on behind "=", and files where the program names nothing.
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    [[ ${#COMPREPLY[@]} == 0 ]] && compopt -o default
    return 0
}
complete -F _lightpath lightpath
