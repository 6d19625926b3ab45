#!/bin/sh
# What is new in a delivery? For cron, nightly:
#
#     nightly.sh [-0] ARCHIVE DELIVERY NAME.index
#
# prints the names of the documents in DELIVERY that are nearly the same as none in ARCHIVE; of several that are nearly
# the same as one another, the first. One name a line, with tab, line feed, carriage return and backslash as \t \n \r
# \\; with -0, names as they are, each ended by NUL, for `xargs -0`. Nothing else is printed, and nothing at all if
# nothing is new. The index of ARCHIVE is written to NAME.index. A line of a crontab; all names must be absolute:
#
#     15 2 * * *  SIMDOCS=/opt/simdocs/bin/simdocs  /opt/nightly.sh /srv/archive /srv/delivery /var/lib/archive.index
#
# SIMDOCS is the program, if it is not in PATH; LOCK_WAIT how many seconds to wait for another run that writes the same
# index (600). Texts are moved into the archive afterwards, never before: there everything in it is known.
#
# Exit status:
#     0   done, also if nothing is new
#     2   wrong arguments, nothing in ARCHIVE, or a fatal error
#     3   done, but something in ARCHIVE or DELIVERY could not be judged: stderr says what. If it is in ARCHIVE, what is
#         printed as new may be in it.
#     4   the index is damaged
#     75  another run still writes the index after LOCK_WAIT seconds: nothing was printed, try again later
set -u

say() {
    printf 'nightly.sh: %s\n' "$*" >&2
}

usage() {
    say "$1"
    printf 'usage: nightly.sh [-0] ARCHIVE DELIVERY NAME.index\n' >&2
    exit 2
}

nul=
while getopts :0 option; do
    case $option in
    0) nul=-0 ;;
    *) usage "-$OPTARG: no such option" ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 3 ] || usage "three names are needed, not $#"
archive=$1 delivery=$2 index=$3
simdocs=${SIMDOCS:-simdocs}
command -v "$simdocs" > /dev/null || usage "$simdocs: no such program: set SIMDOCS to its path"

# An archive that is not mounted tonight would make everything new.
if [ -d "$archive" ] && [ -z "$(find -H "$archive" -type f 2> /dev/null | head -n 1)" ]; then
    say "$archive: no file in it: is it mounted?"
    exit 2
fi
# A delivery that is in the archive already would never be new.
if [ -d "$archive" ] && [ -d "$delivery" ]; then
    case $(CDPATH='' cd -P -- "$delivery" && pwd)/ in
    "$(CDPATH='' cd -P -- "$archive" && pwd)"/*) usage "$delivery is within $archive" ;;
    esac
fi

# Always made anew: 20,000 texts (80 MB) take 1.6 s on two cores, and to ask whether any of them was changed, added or
# removed is worth it only for an archive that stays the same, which one that takes in deliveries does not.
"$simdocs" index --lock-wait "${LOCK_WAIT:-600}" -o "$index" -- "$archive"
indexed=$?
case $indexed in
0 | 3) ;;
*) exit $indexed ;;
esac

# Files there may be, and not one that is a text.
if "$simdocs" info --format tsv "$index" | grep -q '^documents	0$'; then
    say "$archive: no text in it: is it mounted?"
    exit 2
fi

"$simdocs" dedupe --against "$index" --list kept $nul -- "$delivery"
judged=$?
[ $judged -ne 0 ] || judged=$indexed
exit $judged
