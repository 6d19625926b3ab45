"""The program prints and writes, byte for byte, what the transcripts have. `make transcripts` records them anew."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

from simdocs.cli.program import simdocs
from tests.transcripts.transcript import SCENES, command_lines, replayed

CORPUS = Path(__file__).resolve().parents[2] / "examples" / "corpus"


def record(scene: Path) -> str:
    """Return the transcript of a scene's command lines, run now in a directory with a copy of the example corpus.

    The name of the directory always has the same length, because tables and messages are as wide as it needs.
    """
    with tempfile.TemporaryDirectory(prefix="simdocs-", dir="/tmp") as place:
        shutil.copytree(CORPUS, Path(place, "corpus"))
        return "\n".join(replayed(command_lines(scene.read_text()), Path(place))) + "\n"


@pytest.mark.parametrize("scene", SCENES, ids=lambda path: path.stem)
def test_the_program_does_what_the_transcript_has(scene):
    assert record(scene) == scene.read_text()


def test_transcripts_have_every_command_and_two_hundred_lines():
    lines = [line for scene in SCENES for line in command_lines(scene.read_text()) if " simdocs " in line]
    used = {line.partition(" simdocs ")[2].split()[0] for line in lines}
    assert len(lines) >= 200
    assert used >= set(simdocs.commands) - {"spark"}
