#!/bin/sh
# Print each command of the demonstration, and then what it prints. `make demo` runs this.
cd "$(dirname "$0")/.." || exit

run() {
    printf '\n$ %s\n' "$1"
    eval "$1"
}

run 'cd examples'
run 'simdocs dedupe corpus --format table -v'
run 'simdocs dedupe corpus --list duplicates --include "poems/*"'
run 'simdocs show corpus/notes/milk.txt -k 3'
