"""The family of actions: what can be done to the duplicates of a saved answer, and how each is undone."""

from __future__ import annotations

from simdocs.parameters.declaration import Family, Member


class Action(Member):
    """What can be done to duplicates. Its implementation is a function of a step and two open files.

    done: what has been done to a file, in one word
    undo: the function that undoes it, as `module:name`
    of_identical: whether both files must have the same bytes
    is_asked: whether a parameter of this name asks for it
    """

    def __init__(
        self,
        help_text: str,
        implementation: str,
        undo: str,
        *,
        done: str,
        of_identical: bool = False,
        is_asked: bool = True,
    ) -> None:
        super().__init__(help_text, implementation)
        self.done, self.undo = done, Member(help_text, undo)
        self.of_identical, self.is_asked = of_identical, is_asked


_MOVED, _LINKED, _TRASH = (f"simdocs.storage.{name}" for name in ("moved_file", "linked_file", "trash"))

ACTIONS = Family(
    {
        "move": Action("move it to a directory", f"{_MOVED}:move", f"{_MOVED}:move_back", done="moved"),
        "copy": Action(
            "copy it to another file system, and remove it",
            f"{_MOVED}:copy_away",
            f"{_MOVED}:copy_back",
            done="moved",
            is_asked=False,
        ),
        "trash": Action(
            "put it into the trash",
            f"{_TRASH}:put_into_trash",
            f"{_TRASH}:take_from_trash",
            done="put into the trash",
        ),
        "hardlink": Action(
            "make it another name of the kept file",
            f"{_LINKED}:hardlink",
            f"{_LINKED}:unlink_again",
            done="hard-linked",
            of_identical=True,
        ),
        "reflink": Action(
            "share the blocks of the kept file on disk",
            f"{_LINKED}:reflink",
            f"{_LINKED}:leave_shared",
            done="sharing blocks",
            of_identical=True,
        ),
    }
)
"""What is done to a duplicate: the steps of a journal have these names."""
