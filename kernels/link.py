"""Links a library with an embedded build record, which coref_tf/support/libraries.py reads.

    CXX=g++ NVCC=nvcc python kernels/link.py LIBRARY FLAGS OBJECTS... [--gpu OBJECTS...] [--else OBJECTS...]

The objects after --gpu were compiled by nvcc. If nvcc failed, or they cannot be linked, those after --else replace
them, and a message says so; with CUDA=1 in the environment, this is an error.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from coref_tf.support.libraries import source_digest

KERNELS = Path(__file__).resolve().parent
COMPILER = shlex.split(os.environ["CXX"])


def main() -> int:
    """Links with the GPU objects if possible, otherwise without."""
    parser = argparse.ArgumentParser(description="Links a library with a record of its build.")
    parser.add_argument("library", type=Path)
    parser.add_argument("flags")
    parser.add_argument("objects", type=Path, nargs="+")
    parser.add_argument("--gpu", type=Path, nargs="*", default=[])
    parser.add_argument("--else", type=Path, nargs="*", default=[], dest="instead")
    arguments = parser.parse_args()

    if arguments.gpu:
        failure = nvcc_failure(arguments.gpu) or link(arguments, arguments.gpu, cuda_release())
        if not failure:
            return 0
        reason = failure.splitlines()[0]
        print(f"{arguments.library.name}: the GPU kernels are left out: {reason}", file=sys.stderr)
        if os.environ.get("CUDA") == "1":
            return 1
    failure = link(arguments, arguments.instead, None)
    if failure:
        print(f"error: {arguments.library.name}: {failure}", file=sys.stderr)
    return 1 if failure else 0


def nvcc_failure(objects: list[Path]) -> str:
    """Returns why nvcc created no objects, from its log; empty if it created them all."""
    for made in objects:
        if made.stat().st_size == 0:
            log = made.with_suffix(".log")
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
            reasons = [line for line in lines if "error" in line.lower() or "fatal" in line.lower()]
            return f"nvcc failed ({log}): {(reasons or lines or ['no output'])[0].strip()}"
    return ""


def cuda_release() -> str:
    """Returns the CUDA release that nvcc belongs to."""
    version = subprocess.run([os.environ["NVCC"], "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"release ([\d.]+)", version.stdout)
    return found[1] if found else "unknown"


def cuda_libraries() -> list[str]:
    """Returns the flags that link the CUDA runtime statically, so that the library loads without CUDA.

    Its symbols are hidden, because TensorFlow includes another version of it.
    """
    command = [os.environ["NVCC"], "--dryrun", "x.cu"]
    plan = subprocess.run(command, capture_output=True, text=True, check=False)
    folders = re.findall(r'"(-L[^"]+)"', plan.stderr)
    return [*folders, "-Wl,--exclude-libs,ALL", "-lcudart_static", "-ldl", "-lrt"]


def link(arguments: argparse.Namespace, more_objects: list[Path], cuda: str | None) -> str:
    """Links the objects; returns the error of the linker, or an empty string."""
    objects = [*arguments.objects, *more_objects]
    record = Path("build", f"{arguments.library.stem}_record.cc")
    record.write_text(record_source(objects, cuda), encoding="utf-8")
    temporary = arguments.library.with_suffix(".new")
    command = [*COMPILER, "-shared", "-fPIC", "-pthread", "-o", str(temporary)]
    command += [*map(str, objects), str(record), *(cuda_libraries() if cuda else []), f"@{arguments.flags}"]
    linked = subprocess.run(command, capture_output=True, text=True, check=False)
    if linked.returncode == 0:
        temporary.replace(arguments.library)
        return ""
    temporary.unlink(missing_ok=True)
    return linked.stderr.strip() or "the linker failed"


def record_source(objects: list[Path], cuda: str | None) -> str:
    """Returns C++ source with the record as text, which can be found without loading the library."""
    version = subprocess.run([*COMPILER, "--version"], capture_output=True, text=True, check=True).stdout
    record = json.loads(Path("build/versions.json").read_text(encoding="utf-8"))
    record |= {"compiler": version.splitlines()[0], "cuda": cuda}
    record["sources"] = {name: source_digest(KERNELS / name) for name in sources(objects)}
    text = json.dumps(f"<coref_tf-build>{json.dumps(record)}</coref_tf-build>")
    kept = '__attribute__((used, visibility("default")))'
    return f'extern "C" {{ {kept} extern const char coref_tf_build_record[] = {text}; }}\n'


def sources(objects: list[Path]) -> list[str]:
    """Returns the files in kernels/ that the objects were compiled from, according to the compiler."""
    notes = " ".join(made.with_suffix(".d").read_text(encoding="utf-8") for made in objects)
    return sorted(
        {word.removeprefix("kernels/") for word in notes.split() if re.fullmatch(r"kernels/[^:]+", word)}
    )


if __name__ == "__main__":
    sys.exit(main())
