"""Record all transcripts anew: `python -m tests.transcripts`. Read what git says has changed before you commit it."""

from __future__ import annotations

from tests.transcripts.test_transcripts import record
from tests.transcripts.transcript import SCENES

for scene in SCENES:
    scene.write_text(record(scene))
