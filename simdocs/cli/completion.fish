# Completion for fish. The program itself is asked what may come next.

function _simdocs_completion
    set -l word (commandline -t)
    set -l before (string match -r -- '^--[^=]+=' $word)
    set -l program (string replace -r -- '^~/' $HOME/ (commandline -opc)[1])
    for line in (env _SIMDOCS_COMPLETE=fish_complete COMP_WORDS=(commandline -cp | string collect) \
            COMP_CWORD=$word $program 2>/dev/null)
        set -l item (string split -m 1 -- , $line)
        switch $item[1]
            case plain
                printf '%s\n' $item[2]
            case dir file
                for path in (complete -C "'' "(string replace -- "$before" '' $word))
                    test $item[1] = dir; and not string match -q -- '*/' $path; or printf '%s\n' "$before$path"
                end
        end
    end
end

complete --no-files --command simdocs --arguments '(_simdocs_completion)'
