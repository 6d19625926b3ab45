"""simdocs show: what a text is compared by."""

from __future__ import annotations

import json
import os
import threading

import mmh3

from tests import strategies as some
from tests.cli.program import bound_by_modes, in_shell, simdocs
from tests.cli.stand_in import stand_in
from tests.cli.terminal import on_terminal
from tests.twins import shingles as twin


def show(text: bytes, *arguments: str) -> list[str]:
    done = simdocs("show", "-", *arguments, stdin=text)
    assert (done.status, done.err) == (0, "")
    assert all(len(row) == 2 for row in done.rows)
    return [row[0].decode("utf-8", "surrogateescape") for row in done.rows]


def test_shingles_are_shown_in_text_order_with_repeats():
    done = simdocs("show", "-", "-k", "2", stdin=b"abcdabd")
    expected = ["ab", "bc", "cd", "da", "ab", "bd"]
    lines = [f"{one}\t{mmh3.hash(one, 0, signed=False)}\n" for one in expected]
    assert done == (0, "".join(lines).encode(), "")


def test_shingles_of_every_unit_are_shown():
    assert show(b"A rose, is a ROSE!", "--unit", "word", "-k", "2") == ["a rose", "rose is", "is a", "a rose"]
    assert show(b"Milk\n  brown   bread\r\n\r\nEggs", "--unit", "line") == ["milk", "brown bread", "eggs"]
    german = "Die Fähre legt um zwölf ab".encode()
    assert show(german, "--unit", "stopword", "-k", "2", "--language", "de") == ["die fähre", "um zwölf"]
    assert show(b"") == []


def test_shingles_are_shown_of_the_normalised_text():
    text = "Élan – ﬁne,  No. 12".encode()
    assert show(text, "-k", "99") == ["élan – fine, no. 12"]
    switches = ["--nfkc", "--keep-case", "--strip-accents", "--strip-punctuation", "--mask-digits"]
    assert show(text, "-k", "99", *switches) == ["Elan fine No 00"]
    seeded = simdocs("show", "-", "-k", "3", "--seed", "4294967295", stdin="añb".encode())
    assert seeded.out.decode() == f"añb\t{mmh3.hash('añb', 4294967295, signed=False)}\n"


def test_shingles_of_a_multiset_show_repeats_with_other_tokens():
    done = simdocs("show", "-", "-k", "1", "--multiset", stdin=b"aaa")
    tokens = [row[1] for row in done.rows]
    assert tokens[0] == b"%d" % mmh3.hash("a", 0, signed=False)
    assert len(set(tokens)) == 3


def test_shingles_are_shown_in_every_format(tmp_path):
    (tmp_path / "text").write_bytes(b"a\tb\xff\n\\")
    where = {"cwd": tmp_path}
    for line in simdocs("show", "text", "-k", "2", "--format", "jsonl", **where).out.splitlines():
        assert list(json.loads(line)) in (["shingle", "token"], ["shingle_b64", "token"])
    assert simdocs("show", "text", "--format", "csv", **where).out.startswith(b"shingle,token\r\n")
    assert simdocs("show", "text", "--header", **where).out.startswith(b"shingle\ttoken\na b\xff \\\\\t")
    assert simdocs("show", "text", "-o", "out.jsonl", **where) == (0, b"", "")
    assert json.loads((tmp_path / "out.jsonl").read_bytes())["shingle_b64"] == "YSBi/yBc"


def test_shingles_with_line_ends_are_escaped():
    done = simdocs("show", "-", "--unit", "line", "-k", "2", stdin=b"a\\n\nb")
    assert len(done.out.splitlines()) == 1
    assert done.rows[0][0].startswith(b"a\\\\n")


def test_shingles_do_no_harm_to_a_terminal(tmp_path):
    (tmp_path / "text").write_bytes("\x1b]0;x\x07 \u202e \x9b".encode())
    done = on_terminal("show", "text", colored=False, cwd=tmp_path)
    assert done.status == 0
    assert not set("\x1b\x07\u202e\x9b") & set(done.out.decode())


def test_shingles_of_a_fifo_are_shown(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    feeder = threading.Thread(target=(tmp_path / "fifo").write_bytes, args=[b"ab"], daemon=True)
    feeder.start()
    assert simdocs("show", "fifo", "-k", "1", cwd=tmp_path).rows[1][0] == b"b"
    feeder.join(10)


def test_a_text_that_cannot_be_read_has_no_shingles_to_show(tmp_path):
    (tmp_path / "closed").touch(mode=0)
    (tmp_path / "large").write_bytes(b"x" * 100)
    for name, why in {"gone": "No such file", ".": "directory", "closed": ""}.items():
        done = simdocs("show", name, cwd=tmp_path, before=bound_by_modes)
        assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
        assert done.err.startswith("simdocs: error: ")
        assert name in done.err
        assert why in done.err
    assert simdocs("show", cwd=tmp_path).status == 2
    assert simdocs("show", "large", "extra", cwd=tmp_path).status == 2


def test_a_line_at_a_terminal_says_that_a_text_has_no_shingles(tmp_path):
    (tmp_path / "blank").write_bytes(b" \n")
    assert simdocs("show", "blank", cwd=tmp_path) == (0, b"", "")
    shown = on_terminal("show", "blank", which=("stderr",), cwd=tmp_path)
    assert shown == (0, b"", "simdocs: blank: this text has no shingles\n")
    assert on_terminal("show", "blank", "-q", which=("stderr",), cwd=tmp_path) == (0, b"", "")


def test_shown_tokens_give_the_similarity_that_dedupe_reports(tmp_path):
    (tmp_path / "a").write_bytes(b"the quick brown fox jumps over the lazy dog")
    (tmp_path / "b").write_bytes(b"the quick brown fox jumped over the lazy dog")
    sets = [set(simdocs("show", name, "-k", "4", cwd=tmp_path).out.splitlines()) for name in "ab"]
    row = simdocs("dedupe", "a", "b", "-k", "4", "-t", "0.5", cwd=tmp_path).rows[0]
    assert row[2].decode() == f"{len(sets[0] & sets[1]) / len(sets[0] | sets[1]):.6f}"


def test_showing_shingles_does_not_overwrite_the_text(tmp_path):
    text = tmp_path / "letter"
    text.write_bytes(b"a letter of some length")
    (tmp_path / "link").symlink_to("letter")
    for output in ("letter", "./letter", "link"):
        for source in ("letter", "- < letter"):
            done = in_shell(f"simdocs show {source} -o {output}", program=stand_in(), cwd=tmp_path)
            assert (done.status, done.err.count("would replace it: name another file")) == (2, 1)
    assert text.read_bytes() == b"a letter of some length"
    assert simdocs("show", "letter", "-o", "other", cwd=tmp_path).status == 0


def test_only_options_about_one_text_are_taken(tmp_path):
    """Each of the others is refused: none is taken and ignored."""
    (tmp_path / "a").write_bytes(b"a letter of some length")
    for more in ("--strict", "-j2", "--files-from=x", "--summary-json=s", "--exclude=b", "--lock-wait=1"):
        done = simdocs("show", "a", more, cwd=tmp_path)
        assert (done.status, done.out) == (2, b"")
        assert f"No such option '{more[:2] if more == '-j2' else more.partition('=')[0]}'" in done.err
    about_text = ("-k2", "--unit=stopword", "--language=de", "--multiset", "--seed=1", "--nfkc", "--max-size=1K")
    assert simdocs("show", "a", *about_text, "--debug", "--header", "--format=jsonl", cwd=tmp_path).status == 0


def test_a_text_of_very_many_shingles_is_shown_whole():
    text = "the three Fähren, 日本 and one ".encode() * 700
    for unit, k in (("char", 9), ("word", 3), ("line", 1), ("stopword", 3)):
        how = some.shingling(unit=unit, k=k)
        done = simdocs("show", "-", "--unit", unit, "-k", str(k), stdin=text)
        assert [int(row[1]) for row in done.rows] == twin.tokens(text, how)
        joint = {"char": "", "line": "\n"}.get(unit, " ")
        spelt = [joint.join(one) for one in twin.shingles(twin.text_of(text, how), how)]
        assert [row[0].decode() for row in done.rows] == spelt


def test_a_file_of_many_texts_is_not_shown_as_one(tmp_path):
    (tmp_path / "feed.jsonl").write_bytes(b'{"text": "a"}\n')
    done = simdocs("show", "feed.jsonl", cwd=tmp_path)
    assert done.status == 2
    assert "feed.jsonl: each line of this file is a document" in done.err
