
# coordinator:session is one word of vtr's. Bash takes it for three, and replaces only the last of them.
_vtr() {
    local whole=() last=-1 at=0 i
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        if ((last > 0)) && { [[ ${COMP_WORDS[i]} == :* ]] || [[ ${whole[last]} == *: ]]; }; then
            whole[last]+=${COMP_WORDS[i]}
        else
            last=$((last + 1))
            whole[last]=${COMP_WORDS[i]}
        fi
        ((i != COMP_CWORD)) || at=$last
    done
    local typed=${whole[at]}
    local kept=${typed%"${typed##*:}"}
    local COMP_WORDS=("${whole[@]}") COMP_CWORD=$at
    _clap_complete_vtr "$1" "$typed" "$3"
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}
