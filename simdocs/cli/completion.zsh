#compdef simdocs
# Completion for zsh. The program itself is asked what may come next.

_simdocs() {
    local kind value meaning
    local -a answer plain described
    answer=("${(@f)$(
        env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT - 1)) _SIMDOCS_COMPLETE=zsh_complete \
            "${words[1]/#\~\//$HOME/}" 2>/dev/null
    )}")
    for kind value meaning in "${(@)answer}"; do
        case $kind in
        plain)
            if [[ $meaning == _ ]]; then
                plain+=("$value")
            else
                described+=("$value:$meaning")
            fi
            ;;
        dir) compset -P '--*='; _path_files -/ ;;
        file) compset -P '--*='; _path_files ;;
        esac
    done
    (( $#described )) && _describe -V unsorted described -U
    (( $#plain )) && compadd -U -V unsorted -a plain
}

# Autoloaded, this file is the body of the function that it replaces; sourced, it is not.
if [[ $funcstack[1] == _simdocs ]]; then
    _simdocs "$@"
else
    compdef _simdocs simdocs
fi
