"""Every option, declared once. The same name means the same in all commands."""

from __future__ import annotations

import click

from simdocs.cli.help import option, together
from simdocs.cli.param_types import Directory, Member, Seconds, Seed, Share, Size, Text
from simdocs.families import CLUSTERS, FORMATS, KEEP, LANGUAGES, RULES, SCHEMES, UNITS, VERIFY
from simdocs.parameters import (
    PARAMETERS,
    Banding,
    Grouping,
    Sequences,
    Shingling,
    Sketching,
    Walking,
)
from simdocs.values import MIB

_DOCUMENTS, _TEXT, _SHINGLES = "Documents", "Normalised text", "Shingles"
_SIGNATURES, _GROUPS, _ANSWER, _RUN = "Signatures and bands", "Groups", "Answer", "Run"

documents = together(
    click.argument("docs", nargs=-1, type=click.Path(readable=False, path_type=bytes)),
    option(
        _DOCUMENTS,
        "--files-from",
        metavar="FILE",
        type=click.Path(readable=False, path_type=bytes),
        help="Read the names of documents from FILE, one a line; - is standard input.",
    ),
    option(
        _DOCUMENTS,
        "--files0-from",
        metavar="FILE",
        type=click.Path(readable=False, path_type=bytes),
        help="The same, each name ended by NUL.",
    ),
    option(
        _DOCUMENTS,
        "--include",
        metavar="GLOB",
        type=Text(),
        multiple=True,
        help="Walks take only files whose names match; whose paths below DOCS, if GLOB has a slash. May be repeated.",
    ),
    option(
        _DOCUMENTS,
        "--exclude",
        metavar="GLOB",
        type=Text(),
        multiple=True,
        help="Walks leave out files and directories that match so. May be repeated.",
    ),
    option(_DOCUMENTS, "--hidden", is_flag=True, help="Walks take hidden names, too."),
    option(_DOCUMENTS, "--follow", is_flag=True, help="Walks follow symbolic links."),
    option(_DOCUMENTS, "--one-file-system", is_flag=True, help="Walks stay on the file system of their root."),
    option(
        _DOCUMENTS,
        "--max-size",
        type=Size(),
        default=Walking().max_size,
        show_default=f"{Walking().max_size // MIB}M",
        help="Skip larger documents (exit 3). SIZE is in bytes, or ends in K, M or G, powers of 1024.",
    ),
)

sequences = together(
    option(
        _DOCUMENTS,
        "--text-field",
        metavar="NAME",
        type=Text(),
        default=Sequences().text_field,
        show_default=True,
        help="Field of a line of *.jsonl that holds its text.",
    ),
    option(
        _DOCUMENTS,
        "--id-field",
        metavar="NAME",
        type=Text(),
        default=Sequences().id_field,
        show_default=True,
        help="Field of a line of *.jsonl that holds its name: it is called PATH#ID.",
    ),
    option(_DOCUMENTS, "--plain", is_flag=True, help="Read *.jsonl and *.jsonl.gz as one text each."),
)

shelves = together(
    option(
        _DOCUMENTS,
        "--shingles",
        metavar="X.shingles",
        type=Directory(),
        help="Token sets of the artifact's documents (of --against's, if given): verify by them, not by reading again.",
    ),
    option(
        _DOCUMENTS,
        "--root",
        metavar="DIR",
        type=Directory(),
        help="Where the names of the artifact's documents (of --against's, if given) are found now.",
        show_default="where they were",
    ),
)

normalisation = together(
    option(_TEXT, "--nfkc", is_flag=True, help="Bring the text into Unicode compatibility form NFKC first."),
    option(_TEXT, "--keep-case", is_flag=True, help="Do not lower-case."),
    option(
        _TEXT,
        "--strip-accents",
        is_flag=True,
        help="Drop accents: NFD without nonspacing marks (Indic and Thai vowel signs, too), NFC.",
    ),
    option(_TEXT, "--strip-punctuation", is_flag=True, help="Punctuation and symbols become spaces."),
    option(_TEXT, "--mask-digits", is_flag=True, help="Every digit becomes 0."),
)

shingling = together(
    option(
        _SHINGLES,
        "--unit",
        metavar="NAME",
        type=Member(UNITS),
        default=Shingling().unit,
        show_default=True,
        help="What is counted.",
    ),
    option(
        _SHINGLES,
        "-k",
        type=click.IntRange(1, 1000),
        metavar="K",
        show_default=PARAMETERS["k"].shown_default,
        help="Units in a shingle.",
    ),
    option(
        _SHINGLES,
        "--language",
        metavar="CODE",
        type=Member(LANGUAGES),
        default=Shingling().language,
        show_default=True,
        help="Language of the stop words.",
    ),
    option(_SHINGLES, "--multiset", is_flag=True, help="Compare bags: repeats count."),
    option(
        _SHINGLES,
        "--seed",
        type=Seed(),
        default=Shingling().seed,
        show_default=True,
        metavar="N|random",
        help="Seed of every hash; random: one that nobody knows beforehand.",
    ),
)

threshold = option(
    _SIGNATURES,
    "--threshold",
    "-t",
    type=Share(),
    metavar="SHARE",
    default=Banding().threshold,
    show_default=f"{Banding().threshold}, or that of the index",
    help="Documents at least so similar are nearly the same.",
)

signing = together(
    option(
        _SIGNATURES,
        "--num-perm",
        type=click.IntRange(1, 65536),
        metavar="K",
        default=Sketching().num_perm,
        show_default=True,
        help="Numbers in a signature.",
    ),
    option(
        _SIGNATURES,
        "--scheme",
        metavar="NAME",
        type=Member(SCHEMES),
        default=Sketching().scheme,
        show_default=True,
        help="How sets are signed.",
    ),
)

banding = together(
    threshold,
    option(
        _SIGNATURES,
        "--recall",
        type=Share(),
        metavar="SHARE",
        default=Banding().recall,
        show_default=True,
        help="Share of the pairs exactly at the threshold that is found at least; more above it.",
    ),
    option(
        _SIGNATURES,
        "--rule",
        metavar="NAME",
        type=Member(RULES),
        default=Banding().rule,
        show_default=True,
        help="How bands are chosen.",
    ),
    option(_SIGNATURES, "--bands", metavar="B", type=click.IntRange(1), help="Number of bands, by hand."),
    option(_SIGNATURES, "--rows", metavar="R", type=click.IntRange(1), help="Rows in a band, by hand."),
)

verify = option(
    _GROUPS,
    "--verify",
    metavar="NAME",
    type=Member(VERIFY),
    default=Grouping().verify,
    show_default=True,
    help="What decides whether documents are similar.",
)

grouping = together(
    option(
        _GROUPS,
        "--keep",
        metavar="NAME",
        type=Member(KEEP),
        default=Grouping().keep,
        show_default=True,
        help="Which of similar documents is kept.",
    ),
    option(
        _GROUPS,
        "--cluster",
        metavar="NAME",
        type=Member(CLUSTERS),
        default=Grouping().cluster,
        show_default=True,
        help="What a group is.",
    ),
    verify,
    option(
        _GROUPS,
        "--exact",
        is_flag=True,
        help="Find every pair, by rare tokens instead of bands: slower, and holds all tokens in memory.",
    ),
    option(
        _GROUPS,
        "--max-candidates",
        metavar="N",
        type=click.IntRange(1),
        default=Grouping().max_candidates,
        show_default=True,
        help="In a bucket at most N kept documents meet the later ones; if that bites, exit 3.",
    ),
)

nul = option(_ANSWER, "-0", "nul", is_flag=True, help="With --list: end each name by NUL.")

asking = together(
    option(_ANSWER, "--pairs", is_flag=True, help="Every similar pair instead of groups."),
    option(_ANSWER, "--all-copies", is_flag=True, help="With --pairs: all pairs of identical texts, not a chain."),
    option(
        _ANSWER,
        "--list",
        "listed",
        type=click.Choice(["kept", "duplicates"]),
        help="Names alone; as jsonl, the lines of *.jsonl themselves, byte for byte.",
    ),
    nul,
)

against = option(
    _GROUPS,
    "--against",
    metavar="Y.index",
    type=Directory(),
    help="Documents that are kept whatever comes: only new ones are duplicates.",
)

questions = together(
    option(_ANSWER, "--top", metavar="N", type=click.IntRange(1), help="At most N matches a document."),
    option(_ANSWER, "--self", "itself", is_flag=True, help="A document that is in the index matches itself, too."),
    option(_ANSWER, "--list", "listed", type=click.Choice(["matches"]), help="Names of matches alone, each once."),
    nul,
)

output = option(
    _ANSWER,
    "-o",
    "--output",
    metavar="PATH",
    type=click.Path(readable=False),
    callback=lambda _context, _option, path: None if path == "-" else path,
    help="Write to PATH, whole or not at all; -: an answer goes to standard output.",
)

lock_wait = option(
    _RUN,
    "--lock-wait",
    metavar="SECONDS",
    type=Seconds(),
    default=PARAMETERS["lock_wait"].default,
    show_default=PARAMETERS["lock_wait"].shown_default,
    help="Wait that long while another run writes the same artifact; else exit 75.",
)

drawing = together(
    option(
        _ANSWER,
        "--format",
        "form",
        type=Member(FORMATS),
        show_default="table on a terminal, else tsv; by the suffix of -o, if it is a name of these",
        help="How the answer is written.",
    ),
    option(_ANSWER, "--header", is_flag=True, help="Begin TSV with the names of its columns."),
    option(
        _ANSWER,
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Whether tables are coloured.",
    ),
)

answer = together(output, drawing)

debug = option(_RUN, "--debug", is_flag=True, help="Show where an error comes from.")

exit_code = option(_RUN, "--exit-code", is_flag=True, help="Exit 1 if something was found.")

running = together(
    option(
        _RUN,
        "-j",
        "--jobs",
        metavar="N",
        type=click.IntRange(1, 1024),
        show_default="all cores",
        help="Number of worker processes.",
    ),
    option(_RUN, "-q", "--quiet", is_flag=True, help="Nothing on stderr but errors."),
    option(_RUN, "-v", "--verbose", is_flag=True, help="Name all that was skipped, and explain."),
    option(_RUN, "--strict", is_flag=True, help="If a document cannot be judged: exit 2, publish nothing."),
    option(
        _RUN,
        "--summary-json",
        metavar="FILE",
        type=click.Path(readable=False),
        help="Write counts, parameters and seconds to FILE, as one JSON object.",
    ),
    debug,
)
