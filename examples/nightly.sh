#!/bin/sh
# Print which new texts of an archive are nearly the same as another text in it. cron can run this script every night:
#
#     nightly.sh ARCHIVE NAME.index [OPTIONS OF simdocs index]
#
# It updates NAME.index, the index of ARCHIVE, for which only files that have changed are read. Then it looks up the
# documents that are new or changed, and not those that were only renamed. It prints nothing if they resemble no other,
# so that cron sends no mail. Otherwise it prints a sentence, a header, and one line for each match: the new document, the
# one that it resembles, their similarity and its estimate, with tabs between them. In names, tab, line feed, carriage
# return and backslash are written as \t \n \r \\. It lists at most three matches of a document, the most similar first.
# Names are absolute, however ARCHIVE is spelt: by any other name, each document would be new.
#
# A line of a crontab, in which all names must be absolute:
#
#     15 2 * * *  SIMDOCS=/opt/simdocs/bin/simdocs  /opt/nightly.sh /srv/archive /var/lib/archive.index
#
# The options must be those with which the index was built. If you change them, build it again once by hand:
#
#     simdocs index /srv/archive -o /var/lib/archive.index --rebuild --unit word
#
# SIMDOCS is the program, if it is not in PATH. LOCK_WAIT is the number of seconds to wait for another run that is
# writing the same index (600). REPORT is a file, such as /srv/www/new.html, if you want one: a page for a web browser that shows
# tonight's new and changed documents with what they resemble, and where they differ. It replaces the page of last night.
# Build the index once by hand: in a new index, all documents are new. If a run ends after the update but before its
# answer, `simdocs query NAME.index --changed` prints the answer until the next update.
#
# Exit status:
#     0   done, also if nothing was found
#     2   wrong arguments or a fatal error; or ARCHIVE has lost more than half of its documents, perhaps because a disk is
#         not mounted, or has a directory that cannot be listed. Then the index stays as it is. If that is right, run once
#         by hand:
#         simdocs index ARCHIVE -o NAME.index --allow-shrink
#     3   done, but some documents could not be read or compared; stderr says which
#     75  another run was still writing the index after LOCK_WAIT seconds; nothing was printed; try again later
set -u

usage='usage: nightly.sh ARCHIVE NAME.index [OPTIONS OF simdocs index]'

usage() {
    printf 'nightly.sh: %s\n%s\n' "$1" "$usage" >&2
    exit 2
}

case ${1-} in
-h | --help)
    printf '%s\n' "$usage"
    exit 0
    ;;
-*) usage "no option $1" ;;
esac
[ $# -ge 2 ] || usage "two names are needed, but $# were given"
archive=$1 index=$2
shift 2
case ${1--} in
-*) ;;
*) usage "only options can follow the two names, not $1" ;;
esac
simdocs=${SIMDOCS:-simdocs}
command -v "$simdocs" > /dev/null || usage "there is no program $simdocs; set SIMDOCS to its path"
# The x keeps line feeds at the end of a name.
if [ -d "$archive" ]; then
    archive=$(cd -- "$archive" && pwd -P && printf x) || exit 2
    archive=${archive%?x}
fi

"$simdocs" index --lock-wait "${LOCK_WAIT:-600}" -o "$index" "$@" -- "$archive"
updated=$?
case $updated in
0 | 3) ;;
*) exit $updated ;;
esac

place=$(mktemp -d) || exit 2
trap 'rm -rf "$place"' EXIT
# `dedupe --changed` would list the same pairs. But it lists the document that comes first as kept, so one could not see
# which of the two is new.
"$simdocs" query --changed --top 3 -o "$place/matches.tsv" --header -q -- "$index"
compared=$?
[ $compared -ne 0 ] || compared=$updated
if [ -f "$place/matches.tsv" ] && [ "$(head -n 2 "$place/matches.tsv" | wc -l)" -gt 1 ]; then
    printf 'New or changed documents of %s, and what they resemble:\n' "$archive"
    cat "$place/matches.tsv"
fi

# The answer is above, and so are its warnings.
if [ -n "${REPORT-}" ]; then
    "$simdocs" dedupe --changed -o "$place/tonight.answer" -q -- "$index"
    reported=$?
    if [ $reported -eq 0 ] || [ $reported -eq 3 ]; then
        "$simdocs" report -o "$REPORT" -q -- "$place/tonight.answer" || reported=$?
    fi
    [ $reported -eq 0 ] || [ $compared -eq 2 ] || compared=$reported
fi
exit $compared
