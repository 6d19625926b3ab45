"""The memory that is available is the least of what the system, control groups and limits leave."""

from __future__ import annotations

import resource

import pytest

from simdocs.engines.engine import available_memory

MEMINFO = "MemTotal: 4000 kB\nMemFree: 10 kB\nMemAvailable: 3000 kB\n"
GIB = 1 << 30


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Return what writes the files that describe a system, below a directory."""
    monkeypatch.setattr(resource, "getrlimit", lambda _what: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def write(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def test_the_system_says_what_is_available(system):
    assert available_memory(system(proc__meminfo=MEMINFO)) == 3000 << 10


def test_a_control_group_and_those_above_it_limit_the_memory(system):
    top = system(proc__meminfo=MEMINFO, proc__self__cgroup="4:memory:/v1\n0::/a/b\n")
    files = {"sys/fs/cgroup/a/memory.max": "900000", "sys/fs/cgroup/a/memory.current": "500000"}
    files |= {"sys/fs/cgroup/v1/memory.max": "9", "sys/fs/cgroup/v1/memory.current": "1"}  # of another hierarchy
    files |= {"sys/fs/cgroup/a/b/memory.max": "max", "sys/fs/cgroup/a/b/memory.current": "1"}
    for name, text in files.items():
        system(**{name.replace("/", "__"): f"{text}\n"})
    assert available_memory(top) == 400_000
    (top / "sys/fs/cgroup/a/memory.stat").write_text("anon 1\ninactive_file 30000\n")
    assert available_memory(top) == 430_000
    (top / "sys/fs/cgroup/a/memory.current").write_text("1000000\n")
    assert available_memory(top) == 0


def test_a_limit_of_address_space_counts_less_what_is_in_use(system, monkeypatch):
    top = system(proc__meminfo=MEMINFO, proc__self__statm="100 1 1\n")
    page = resource.getpagesize()
    monkeypatch.setattr(resource, "getrlimit", lambda _what: (110 * page, GIB))
    assert available_memory(top) == min(10 * page, 3000 << 10)
    system(proc__self__statm="111 1 1\n")
    assert available_memory(top) == 0
