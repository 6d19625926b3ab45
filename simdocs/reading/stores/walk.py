"""Take the files of a walk from the list of all objects below a prefix, by the rules of a walk of directories."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import partial

from simdocs.errors import InputError
from simdocs.model.skipped import DocumentSkipped, Skip, Skipped
from simdocs.names import DRAFT_PREFIX, display_name, is_manifest
from simdocs.options.texts import Walking
from simdocs.reading.file_list import Found
from simdocs.reading.find import ARTIFACT_SUFFIXES, SUCCESS
from simdocs.reading.patterns import Patterns
from simdocs.reading.saved_dataset import MARKS, SavedDataset, saved_dataset
from simdocs.reading.stores.store import ObjectFile, StoredObject, digest_of, objects_below, unreachable


def walk_objects(prefix: bytes, walking: Walking, skipped: Skipped, patterns: Patterns | None) -> Iterator[Found]:
    """Yield the objects below a prefix, bytewise by whole name. skipped, patterns: as those of `walk`.

    What is between slashes is a directory. Raises OSError, before the first.
    """
    if prefix.rstrip(b"/").endswith(ARTIFACT_SUFFIXES):
        raise InputError(f"{display_name(prefix)}: artifacts are read from a disk only: copy it there first")
    root = prefix if prefix.endswith(b"/") else prefix + b"/"
    listed = sorted(objects_below(prefix))
    for each in _Search(listed, root, walking, skipped, patterns).taken():
        name = root + each.below
        yield Found(name, each.size, each.mtime_ns, each.mtime_ns, *digest_of(name), walked=len(root))


class _Search:
    """The state of one walk."""

    def __init__(
        self,
        listed: list[StoredObject],
        root: bytes,
        walking: Walking,
        skipped: Skipped,
        patterns: Patterns | None,
    ) -> None:
        self._root, self._walking, self._skipped = root, walking, skipped
        self._patterns = patterns
        self._listed = listed
        self._inside, self._left = b"", _NOTHING
        """The directory of the last object, and the last one that was left out, with slashes."""
        self._manifests = self._with((_MANIFEST,))
        self._datasets: dict[bytes, SavedDataset | None] = dict.fromkeys(self._with(MARKS))
        """The directories that seem to hold data sets, and what they hold, if they were entered."""

    def _with(self, names: Iterable[bytes]) -> set[bytes]:
        """The directories, with slashes, that have a file of one of these names."""
        ends = tuple(names)
        marked = (each.below for each in self._listed if each.below.endswith(ends))
        return {below[: below.rfind(b"/") + 1] for below in marked if below[below.rfind(b"/") + 1 :] in ends}

    def taken(self) -> Iterator[StoredObject]:
        """Yield the objects to read, in order."""
        if b"" in self._datasets:
            self._enter_dataset(b"")
        for each in self._listed:
            if each.below.startswith(self._left):
                continue
            cut = each.below.rfind(b"/") + 1
            if each.below[:cut] != self._inside and not self._enter(each.below[:cut]):
                continue
            self._inside = each.below[:cut]
            try:
                self._refuse_hidden(each.below[cut:])
                if self._patterns is not None and self._patterns.leave_out(each.below, False):
                    continue
                if (dataset := self._datasets.get(self._inside)) is not None and dataset.leaves_out(each.below[cut:]):
                    raise DocumentSkipped("described")
                if each.below[cut:] == SUCCESS and not each.size:
                    raise DocumentSkipped("described")
                if why := unreachable(each.below):
                    raise DocumentSkipped("unreadable", why)
            except DocumentSkipped as left:
                self._leave_out(each.below, left)
            else:
                yield each

    def _enter_dataset(self, directory: bytes) -> None:
        """Read the description of a data set. It may leave out the directory."""
        try:
            dataset = self._datasets[directory] = saved_dataset(partial(_head, self._root + directory))
        except DocumentSkipped as left:
            self._leave_out(directory[:-1], left)
            self._left = directory
            return
        for name in sorted(dataset.listed) if dataset is not None else ():
            if not self._has(directory + name):
                why = "the data set lists it, but it is missing"
                self._skipped.add(Skip("unreadable", self._root + directory + name, why))

    def _has(self, below: bytes) -> bool:
        """Whether there is an object with this name, or below it."""
        place = bisect_left(self._listed, below, key=lambda each: each.below)
        below_it = bisect_left(self._listed, below + b"/", key=lambda each: each.below)
        found = (self._listed[at].below for at in (place, below_it) if at < len(self._listed))
        return any(name == below or name.startswith(below + b"/") for name in found)

    def _enter(self, directory: bytes) -> bool:
        """Whether to read what is in a directory. If not, this is reported, and the directory remembered."""
        at = directory.find(b"/") + 1
        while at:
            above = directory[:at]
            if not self._inside.startswith(above):
                name = above[:-1].rpartition(b"/")[2]
                try:
                    self._refuse_hidden(name)
                    if name.endswith(ARTIFACT_SUFFIXES):
                        raise DocumentSkipped("artifact")
                    if self._patterns is not None and self._patterns.leave_out(above[:-1], True):
                        self._left = above
                        return False
                    if above in self._manifests and self._is_artifact(above):
                        raise DocumentSkipped("artifact")
                except DocumentSkipped as left:
                    self._leave_out(above[:-1], left)
                    self._left = above
                    return False
                if above in self._datasets:
                    self._enter_dataset(above)
                    if self._left == above:
                        return False
            at = directory.find(b"/", at) + 1
        return True

    def _refuse_hidden(self, name: bytes) -> None:
        """Raise DocumentSkipped if a name is hidden, or that of a draft."""
        if name.startswith(DRAFT_PREFIX.encode()):
            raise DocumentSkipped("artifact")
        if name.startswith(b".") and not self._walking.hidden:
            raise DocumentSkipped("hidden")

    def _is_artifact(self, directory: bytes) -> bool:
        try:
            return is_manifest(ObjectFile(self._root + directory + _MANIFEST).pread(64, 0))
        except OSError:
            return False

    def _leave_out(self, below: bytes, left: DocumentSkipped) -> None:
        name = self._root + below
        self._skipped.add(Skip(left.reason, name, left.detail))


_MANIFEST = b"manifest.json"

_NOTHING = b"\0"
"""How no name begins."""


def _head(prefix: bytes, name: str, most: int) -> bytes | None:
    """The first bytes of an object below a prefix; None if there is none."""
    try:
        return ObjectFile(prefix + name.encode()).read(most)
    except OSError:
        return None
