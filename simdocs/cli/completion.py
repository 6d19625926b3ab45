"""Completion for shells: Click computes what may come next on a command line, and our scripts pass it on.

We have scripts of our own because Click's have faults. Autoloaded, the one for zsh does nothing at the second TAB of a
session. The one for fish cuts help at its first comma. The one for bash leaves variables behind. None of them completes
every value after `=`, and all show errors in the middle of a line. For an answer of kind `file` or `dir`, the shell
completes names.
"""

from __future__ import annotations

import os

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, ShellComplete, ZshComplete

_BASH = r"""# Completion for bash. The program itself is asked what may come next.

%(complete_func)s() {
    local IFS=$'\n' kind value
    COMPREPLY=()
    while IFS=, read -r kind value; do
        case $kind in
        plain) COMPREPLY+=("$value") ;;
        dir) compopt -o dirnames ;;
        file) compopt -o default ;;
        esac
    done < <(
        env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD="$COMP_CWORD" %(complete_var)s=bash_complete \
            "${1/#\~\//$HOME/}" 2>/dev/null
    )
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""

_ZSH = r"""#compdef %(prog_name)s
# Completion for zsh. The program itself is asked what may come next.

%(complete_func)s() {
    local kind value meaning
    local -a answer plain described
    answer=("${(@f)$(
        env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT - 1)) %(complete_var)s=zsh_complete \
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
if [[ $funcstack[1] == %(complete_func)s ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""

_FISH = r"""# Completion for fish. The program itself is asked what may come next.

function %(complete_func)s
    set -l word (commandline -t)
    set -l before (string match -r -- '^--[^=]+=' $word)
    set -l program (string replace -r -- '^~/' $HOME/ (commandline -opc)[1])
    for line in (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp | string collect) \
            COMP_CWORD=$word $program 2>/dev/null)
        set -l item (string split -m 1 -- , $line)
        switch $item[1]
            case plain
                printf '%%s\n' $item[2]
            case dir file
                for path in (complete -C "'' "(string replace -- "$before" '' $word))
                    test $item[1] = dir; and not string match -q -- '*/' $path; or printf '%%s\n' "$before$path"
                end
        end
    end
end

complete --no-files --command %(prog_name)s --arguments '(%(complete_func)s)'
"""


class _Joined(ShellComplete):
    """Completion that returns a value after `=` as the whole word that the shell expects: `--unit=word`, not `word`."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """The words that may replace the incomplete word."""
        items = super().get_completions(args, incomplete)
        name, joined, _ = incomplete.partition("=")
        if joined and name.startswith("--"):
            for item in items:
                item.value = item.value if item.type != "plain" else f"{name}={item.value}"
        return items


class _Bash(_Joined, BashComplete):
    source_template = _BASH
    source = ShellComplete.source  # Click's own version would start bash to find its version

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the incomplete word, and that word. bash makes `=` a word of its own, which is left out."""
        args, incomplete = super().get_completion_args()
        ahead = ["", *args]
        return [word for word, last in zip(args, ahead, strict=False) if (word, last[:2]) != ("=", "--")], incomplete


class _Zsh(_Joined, ZshComplete):
    source_template = _ZSH

    @property
    def func_name(self) -> str:
        """The name of the function, which is the name of the file. So it replaces the function that zsh has loaded."""
        return f"_{self.prog_name}"


class _Fish(_Joined, FishComplete):
    source_template = _FISH


SHELLS: dict[str, type[ShellComplete]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


def completer(program: click.Command, shell: str, variable: str) -> ShellComplete:
    """The object that completes command lines in this shell, and that has the script for it."""
    return SHELLS[shell](program, {}, program.name or "", variable)


def complete(program: click.Command, variable: str) -> int:
    """Answer the request of a shell in this variable (`SHELL_complete` or `SHELL_source`). Return the exit status."""
    shell, _, what = os.environ[variable].partition("_")
    if shell not in SHELLS or what not in ("complete", "source"):
        return 1
    asked = completer(program, shell, variable)
    text = asked.source() if what == "source" else asked.complete() + "\n"
    click.echo(text.encode("utf-8", "surrogateescape"), nl=False)
    return 0
