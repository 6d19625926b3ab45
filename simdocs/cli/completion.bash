# Completion for bash. The program itself is asked what may come next.

_simdocs_completion() {
    local IFS=$'\n' kind value
    COMPREPLY=()
    while IFS=, read -r kind value; do
        case $kind in
        plain) COMPREPLY+=("$value") ;;
        dir) compopt -o dirnames ;;
        file) compopt -o default ;;
        esac
    done < <(
        env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD="$COMP_CWORD" _SIMDOCS_COMPLETE=bash_complete \
            "${1/#\~\//$HOME/}" 2>/dev/null
    )
}

complete -o nosort -F _simdocs_completion simdocs
