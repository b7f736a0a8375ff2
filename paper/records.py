"""The steps of a reproduction and the records of their outcomes, which are valid on any machine."""

import dataclasses
import hashlib
import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any


@dataclasses.dataclass(frozen=True)
class Step:
    """One command, and what it writes.

    Args:
        name: The name of the step and of its files.
        command: The arguments of Python; paths are absolute.
        needs: The steps that must precede it.
        result: The JSON file with its figures, in the output folder, if the command writes one.
        outputs: The other files that it writes to the output folder.
        product: A file that is not kept with the results, such as a checkpoint, but that later steps read.
        measure: Returns the figures to record, after the command, if there is no result.
        impossible: The reason why it cannot be done here; empty if it can.
    """

    name: str
    command: tuple[str, ...]
    needs: tuple[str, ...] = ()
    result: Path | None = None
    outputs: tuple[Path, ...] = ()
    product: Path | None = None
    measure: Callable[[], Any] | None = None
    impossible: str = ""

    @property
    def kind(self) -> str:
        """The kind of step, such as "train", "dev" or "figure3"; steps of one kind take about the same time."""
        return self.name.split("-")[0]

    @property
    def is_lost(self) -> bool:
        """Whether its product is missing, for instance because the step was run on another machine."""
        return self.product is not None and not self.product.exists()


class Records:
    """The records in a folder: NAME.json is the outcome of a step, NAME.log its output.

    A record has no absolute paths: those in its command are relative to the output folder, which contains the folder of
    the records. So the output folder can be moved, or committed and continued elsewhere.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def record(self, name: str) -> dict[str, Any] | None:
        """Returns the record of a step, or None."""
        try:
            return json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def is_done(self, step: Step) -> bool:
        """Returns whether the step is recorded as done: with the same command, and after the same steps."""
        record = self.record(step.name)
        files = (step.result, *step.outputs) if step.result else step.outputs
        if not record or not record["done"] or not all(file.exists() for file in files):
            return False
        return record["command"] == self.command_line(step) and record["needs"] == self.fingerprints(step)

    def figures(self, name: str) -> Any:
        """Returns the figures of a step that is done; None otherwise."""
        record = self.record(name)
        if not record or not record["done"]:
            return None
        if not record["result"]:
            return record["figures"]
        try:
            return json.loads((self.folder.parent / record["result"]).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def fingerprints(self, step: Step) -> dict[str, str]:
        """Returns checksums of the figures of the steps that a step needs; if they change, it must run again."""
        found = {}
        for need in step.needs:
            figures = (self.record(need) or {}).get("figures")
            found[need] = hashlib.sha256(json.dumps(figures, sort_keys=True).encode()).hexdigest()[:16]
        return found

    def command_line(self, step: Step) -> str:
        """Returns the command line, as a user would type it in the output folder, where PYTHONPATH is the checkout."""
        words = (self.relative(word) if os.path.isabs(word) else word for word in step.command)
        return shlex.join(["python", *words])

    def relative(self, path: str | os.PathLike) -> str:
        """Returns a path relative to the output folder."""
        return Path(os.path.relpath(path, self.folder.parent)).as_posix()

    def log(self, step: Step) -> Path:
        """Returns the file with the output of a step."""
        return self.folder / f"{step.name}.log"
