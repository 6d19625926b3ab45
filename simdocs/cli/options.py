"""Every option, declared once. The same name means the same in all commands."""

from __future__ import annotations

import click

from simdocs.cli.sections import option, together
from simdocs.cli.values import Seed, Share, Size, choice, members
from simdocs.parameters import (
    CLUSTERS,
    DEFAULT_K,
    KEEP,
    LANGUAGES,
    LOCK_WAIT,
    MAX_K,
    MAX_PLACES,
    MIB,
    MOST_JOBS,
    RULES,
    SCHEMES,
    UNITS,
    VERIFY,
    Banding,
    Grouping,
    Sequences,
    Shingling,
    Sketching,
    Walking,
)
from simdocs.views.formats import FORMATS

_DOCUMENTS, _TEXT, _SHINGLES = "Documents", "Normalised text", "Shingles"
_SIGNATURES, _GROUPS, _ANSWER, _RUN = "Signatures and bands", "Groups", "Answer", "Run"

documents = together(
    click.argument("docs", nargs=-1, type=click.Path(readable=False, path_type=bytes)),
    option(
        _DOCUMENTS,
        "--files-from",
        metavar="FILE",
        type=click.Path(readable=False, path_type=bytes),
        help="Names, one a line; - is stdin.",
    ),
    option(
        _DOCUMENTS,
        "--files0-from",
        metavar="FILE",
        type=click.Path(readable=False, path_type=bytes),
        help="Names, each ended by NUL.",
    ),
    option(_DOCUMENTS, "--include", metavar="GLOB", multiple=True, help="Walks take only names that match."),
    option(_DOCUMENTS, "--exclude", metavar="GLOB", multiple=True, help="Walks leave out files and directories."),
    option(_DOCUMENTS, "--hidden", is_flag=True, help="Walks take hidden names, too."),
    option(_DOCUMENTS, "--follow", is_flag=True, help="Walks follow symbolic links."),
    option(_DOCUMENTS, "--one-file-system", is_flag=True, help="Walks stay on the file system of their root."),
    option(
        _DOCUMENTS,
        "--max-size",
        type=Size(),
        default=Walking().max_size,
        show_default=f"{Walking().max_size // MIB}M",
        help="Larger documents are skipped (exit 3).",
    ),
)

sequences = together(
    option(
        _DOCUMENTS,
        "--text-field",
        metavar="NAME",
        default=Sequences().text_field,
        show_default=True,
        help="Of a line of *.jsonl: its text.",
    ),
    option(
        _DOCUMENTS,
        "--id-field",
        metavar="NAME",
        default=Sequences().id_field,
        show_default=True,
        help="Of a line of *.jsonl: what it is called, PATH#ID.",
    ),
    option(_DOCUMENTS, "--plain", is_flag=True, help="Read *.jsonl as one text each."),
)

shelves = together(
    option(
        _DOCUMENTS,
        "--shingles",
        metavar="X.shingles",
        type=click.Path(readable=False, path_type=bytes),
        help="Token sets of the artifact's documents (of --against's, if given): verify by them, not by reading again.",
    ),
    option(
        _DOCUMENTS,
        "--root",
        metavar="DIR",
        type=click.Path(readable=False, path_type=bytes),
        help="Where the names of the artifact's documents (of --against's, if given) are found now.",
        show_default="where they were",
    ),
)

normalisation = together(
    option(_TEXT, "--nfkc", is_flag=True, help="Unicode compatibility form NFKC first."),
    option(_TEXT, "--keep-case", is_flag=True, help="Do not lower-case."),
    option(_TEXT, "--strip-accents", is_flag=True, help="Drop accents: NFD without nonspacing marks, NFC."),
    option(_TEXT, "--strip-punctuation", is_flag=True, help="Punctuation and symbols become spaces."),
    option(_TEXT, "--mask-digits", is_flag=True, help="Every digit becomes 0."),
)

shingling = together(
    option(
        _SHINGLES,
        "--unit",
        metavar="NAME",
        type=choice(UNITS),
        default=Shingling().unit,
        show_default=True,
        help=f"What is counted. {members(UNITS)}.",
    ),
    option(
        _SHINGLES,
        "-k",
        type=click.IntRange(1, MAX_K),
        metavar="K",
        show_default=", ".join(f"{unit} {k}" for unit, k in DEFAULT_K.items()),
        help="Units in a shingle.",
    ),
    option(
        _SHINGLES,
        "--language",
        metavar="CODE",
        type=choice(LANGUAGES),
        default=Shingling().language,
        show_default=True,
        help=f"Of the stop words: {' '.join(LANGUAGES)}.",
    ),
    option(_SHINGLES, "--multiset", is_flag=True, help="Compare bags: repeats count."),
    option(
        _SHINGLES,
        "--seed",
        type=Seed(),
        default=Shingling().seed,
        show_default=True,
        metavar="N|random",
        help="Of every hash; random: one that nobody knows beforehand.",
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
        type=click.IntRange(1, MAX_PLACES),
        metavar="K",
        default=Sketching().num_perm,
        show_default=True,
        help="Places in a signature.",
    ),
    option(
        _SIGNATURES,
        "--scheme",
        metavar="NAME",
        type=choice(SCHEMES),
        default=Sketching().scheme,
        show_default=True,
        help=f"How sets are signed. {members(SCHEMES)}.",
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
        type=choice(RULES),
        default=Banding().rule,
        show_default=True,
        help=f"How bands are chosen. {members(RULES)}.",
    ),
    option(_SIGNATURES, "--bands", metavar="B", type=click.IntRange(1), help="Bands, by hand."),
    option(_SIGNATURES, "--rows", metavar="R", type=click.IntRange(1), help="Rows in a band, by hand."),
)

verify = option(
    _GROUPS,
    "--verify",
    metavar="NAME",
    type=choice(VERIFY),
    default=Grouping().verify,
    show_default=True,
    help=f"What decides. {members(VERIFY)}.",
)

grouping = together(
    option(
        _GROUPS,
        "--keep",
        metavar="NAME",
        type=choice(KEEP),
        default=Grouping().keep,
        show_default=True,
        help=f"Which of similar documents. {members(KEEP)}.",
    ),
    option(
        _GROUPS,
        "--cluster",
        metavar="NAME",
        type=choice(CLUSTERS),
        default=Grouping().cluster,
        show_default=True,
        help=f"What a group is. {members(CLUSTERS)}.",
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
    type=click.Path(readable=False, path_type=bytes),
    help="Documents that are kept whatever comes: only new ones are duplicates.",
)

questions = together(
    option(_ANSWER, "--top", metavar="N", type=click.IntRange(1), help="At most N matches a document."),
    option(_ANSWER, "--self", "itself", is_flag=True, help="A document that is in the index matches itself, too."),
    option(_ANSWER, "--list", "listed", type=click.Choice(["matches"]), help="Names of matches alone, each once."),
    nul,
)

output = option(
    _ANSWER, "-o", "--output", metavar="PATH", type=click.Path(readable=False), help="Write there, all or nothing."
)

lock_wait = option(
    _RUN,
    "--lock-wait",
    metavar="SECONDS",
    type=click.FloatRange(0),
    default=LOCK_WAIT,
    show_default=True,
    help="Wait that long while another run writes the same artifact; else exit 75.",
)

drawing = together(
    option(
        _ANSWER,
        "--format",
        "form",
        type=click.Choice(list(FORMATS)),
        show_default="table on a terminal, else tsv; with -o by its suffix",
        help=f"{members({name: member.help for name, member in FORMATS.items()})}.",
    ),
    option(_ANSWER, "--header", is_flag=True, help="Begin TSV with the names of its columns."),
    option(
        _ANSWER,
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Colour tables.",
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
        type=click.IntRange(1, MOST_JOBS),
        show_default="all cores",
        help="Worker processes.",
    ),
    option(_RUN, "-q", "--quiet", is_flag=True, help="Nothing on stderr but errors."),
    option(_RUN, "-v", "--verbose", is_flag=True, help="Name all that was skipped, and explain."),
    option(_RUN, "--strict", is_flag=True, help="If a document cannot be judged: exit 2, publish nothing."),
    option(
        _RUN, "--summary-json", metavar="FILE", type=click.Path(readable=False), help="Counts, parameters, seconds."
    ),
    debug,
)
