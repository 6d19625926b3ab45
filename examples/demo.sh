#!/bin/sh
# What `make demo` shows: each command, then what it prints.
cd "$(dirname "$0")" || exit

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}

show simdocs dedupe corpus --format table -v
show simdocs dedupe corpus --list duplicates --include 'poems/*'
printf '\n$ simdocs shingle --show corpus/notes/milk.txt -k 3\n'
simdocs shingle --show corpus/notes/milk.txt -k 3
