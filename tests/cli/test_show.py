"""simdocs show: what a text is compared by."""

from __future__ import annotations

import mmh3
import pytest

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
    assert show(german.upper(), "--unit", "stopword", "-k", "2", "--language", "de", "--keep-case")[0] == "DIE FäHRE"
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


@pytest.mark.parametrize(
    "words", ["show text", "compare text other --passages", "compare text other --diff words", "passages ."]
)
def test_texts_do_no_harm_to_a_terminal(tmp_path, words):
    for name in ("text", "other"):
        (tmp_path / name).write_bytes(f"\x1b]0;x\x07 \u202e \x9b, {'and so on ' * 9}{name}".encode())
    done = on_terminal(*words.split(), colored=False, cwd=tmp_path)
    assert (done.status, b"x1b]0;x" in done.out) == (0, True)
    assert not set("\x1b\x07\u202e\x9b") & set(done.out.decode())


def test_a_text_that_cannot_be_read_has_no_shingles_to_show(tmp_path):
    (tmp_path / "closed").touch(mode=0)
    for name, why in {"gone": "No such file", ".": "directory", "closed": ""}.items():
        done = simdocs("show", name, cwd=tmp_path, before=bound_by_modes)
        assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
        assert done.err.startswith("simdocs: error: ")
        assert name in done.err
        assert why in done.err


def test_showing_shingles_does_not_overwrite_the_text(tmp_path):
    text = tmp_path / "letter"
    text.write_bytes(b"a letter of some length")
    (tmp_path / "link").symlink_to("letter")
    for source in ("letter", "- < letter"):
        done = in_shell(f"simdocs show {source} -o link", program=stand_in(), cwd=tmp_path)
        assert (done.status, done.err.count("would replace it: name another file")) == (2, 1)
    assert text.read_bytes() == b"a letter of some length"


def test_a_text_of_very_many_shingles_is_shown_whole():
    text = "the three Fähren, 日本 and one ".encode() * 700
    for unit, k in (("char", 9), ("word", 3), ("line", 1), ("stopword", 3)):
        how = some.shingling(unit=unit, k=k)
        done = simdocs("show", "-", "--unit", unit, "-k", str(k), stdin=text)
        assert [int(row[1]) for row in done.rows] == twin.tokens(text, how)
        joint = {"char": "", "line": "\n"}.get(unit, " ")
        spelt = [joint.join(one) for one in twin.shingles(twin.text_of(text, how), how)]
        assert [row[0].decode() for row in done.rows] == spelt
