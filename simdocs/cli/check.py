"""simdocs check: is an artifact whole?"""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import exits
from simdocs.cli import options as declared
from simdocs.cli.help import Command
from simdocs.cli.param_types import Directory


@click.command(cls=Command, examples=("simdocs check docs.index", "simdocs check *.index *.shingles"))
@click.argument("artifacts", metavar="ARTIFACT...", nargs=-1, required=True, type=Directory())
@declared.debug
def check(**options: Any) -> int:
    """Read all of an artifact and look whether it is whole: checksums, and every rule that it must keep.

    Nothing is printed when all is well; else a line a damage, and the exit status is 4. Checksums find what rots, not
    what somebody has forged.
    """
    from simdocs.artifacts.damage import damages
    from simdocs.errors import InputError
    from simdocs.views import messages

    status, missing = exits.DONE, False
    for path in options["artifacts"]:
        try:
            for line in damages(path):
                messages.error(line)
                status = exits.DAMAGED
        except InputError as error:
            messages.error(str(error))
            missing = True
    return exits.FAILED if missing else status
