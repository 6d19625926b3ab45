"""Write the manual pages and what else is installed in share/, and build the kernels in C.

The kernels are optional: without a compiler, the installed package uses NumPy.

SIMDOCS_NATIVE=require makes a failure to build them an error, as releases need it. SIMDOCS_NATIVE=no leaves them out.
"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

wanted = os.environ.get("SIMDOCS_NATIVE", "auto")
if wanted not in ("auto", "no", "require"):
    raise SystemExit(f"SIMDOCS_NATIVE is {wanted!r}: set it to auto, no or require")

# Python's stable interface, against which they are built, does not exist for builds without a global lock.
if wanted == "auto" and sysconfig.get_config_var("Py_GIL_DISABLED"):
    wanted = "no"

ROOT = Path(__file__).resolve().parent
# A source distribution has the files, and not the program that writes them.
if (ROOT / "docs" / "generate.py").exists():
    search = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, ROOT / "docs" / "generate.py"]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": search})

IN_C = "simdocs/kernels/native"

compiled = Extension(
    "simdocs.kernels.native.compiled",
    [f"{IN_C}/{name}.c" for name in ("compiled", "texts", "words", "tokens", "sorting", "overlaps", "sketch", "files")],
    depends=[f"{IN_C}/compiled.h"],
    extra_compile_args=["-O3", "-fno-strict-aliasing"],
    py_limited_api=True,
    optional=wanted != "require",
)

setup(
    ext_modules=[] if wanted == "no" else [compiled],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if wanted != "no" else {},
)
