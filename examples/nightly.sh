#!/bin/sh
# Print what is new in a delivery. This script is meant to be run by cron every night:
#
#     nightly.sh [-0] ARCHIVE DELIVERY NAME.index
#
# It writes an index of ARCHIVE to NAME.index. Then it prints the names of the documents in DELIVERY that are not nearly
# the same as any document in ARCHIVE. Of several that are nearly the same as one another, it prints the first. It prints
# one name on each line, with tab, line feed, carriage return and backslash written as \t \n \r \\. With -0, names are
# printed as they are, each ended by NUL, for `xargs -0`. It prints nothing else, and nothing at all if nothing is new.
#
# A line of a crontab, in which all names must be absolute:
#
#     15 2 * * *  SIMDOCS=/opt/simdocs/bin/simdocs  /opt/nightly.sh /srv/archive /srv/delivery /var/lib/archive.index
#
# SIMDOCS is the program, if it is not in PATH. LOCK_WAIT is the number of seconds to wait for another run that is writing
# the same index (600). Move new texts into the archive after the run, not before: a text that is in the archive is not
# new.
#
# Exit status:
#     0   done, also if nothing is new
#     2   wrong arguments, nothing in ARCHIVE, or a fatal error
#     3   done, but something in ARCHIVE or DELIVERY could not be judged; stderr says what. If it is in ARCHIVE, a text
#         that is printed as new may be a duplicate of it.
#     4   the index is damaged
#     75  another run was still writing the index after LOCK_WAIT seconds; nothing was printed; try again later
set -u

say() {
    printf 'nightly.sh: %s\n' "$*" >&2
}

usage='usage: nightly.sh [-0] ARCHIVE DELIVERY NAME.index'

usage() {
    say "$1"
    printf '%s\n' "$usage" >&2
    exit 2
}

nul=
case ${1-} in
-h | --help)
    printf '%s\n' "$usage"
    exit 0
    ;;
esac
while getopts :0-: option; do
    case $option in
    0) nul=-0 ;;
    -) usage "no option --$OPTARG" ;;
    *) usage "no option -$OPTARG" ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 3 ] || usage "three names are needed, but $# were given"
archive=$1 delivery=$2 index=$3
simdocs=${SIMDOCS:-simdocs}
command -v "$simdocs" > /dev/null || usage "there is no program $simdocs; set SIMDOCS to its path"

# If the archive is not mounted tonight, everything would seem to be new.
if [ -d "$archive" ] && [ -z "$(find -H "$archive" -type f 2> /dev/null | head -n 1)" ]; then
    say "$archive has no files; is it mounted?"
    exit 2
fi
# A delivery inside the archive would never seem to be new.
if [ -d "$archive" ] && [ -d "$delivery" ]; then
    case $(CDPATH='' cd -P -- "$delivery" && pwd)/ in
    "$(CDPATH='' cd -P -- "$archive" && pwd)"/*) usage "$delivery is within $archive" ;;
    esac
fi

# The index is always built anew. 20,000 texts (80 MB) take 1.6 s on two cores. Finding out first whether any text has
# changed would only help if the archive stayed the same, but it takes in deliveries.
"$simdocs" index --lock-wait "${LOCK_WAIT:-600}" -o "$index" -- "$archive"
indexed=$?
case $indexed in
0 | 3) ;;
*) exit $indexed ;;
esac

# There may be files in the archive, but no text.
if "$simdocs" info --format tsv "$index" | grep -q '^documents	0$'; then
    say "$archive has no texts; is it mounted?"
    exit 2
fi

"$simdocs" dedupe --against "$index" --list kept $nul -- "$delivery"
judged=$?
[ $judged -ne 0 ] || judged=$indexed
exit $judged
