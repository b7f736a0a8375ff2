"""Which version of the model answers, and how the next one takes its place."""

import concurrent.futures
import contextlib
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from coref_tf.models.export_folder import check_files, find_versions, fingerprint, newest_version
from coref_tf.serving.loaded_model import LoadedModel
from coref_tf.serving.request_error import RequestError
from coref_tf.support.errors import CorefError

# The states that TensorFlow Serving has for a version, in the order in which it goes through them.
LOADING, AVAILABLE, UNLOADING, END = "LOADING", "AVAILABLE", "UNLOADING", "END"

WARM_UP_SECONDS = 300.0
LOAD_SECONDS = 600.0  # the warm-up included


class VersionStatus(NamedTuple):
    """How far a version is, and what went wrong with it, in words for clients: without the server's paths."""

    state: str
    error: str = ""


class ServedVersion:
    """A loaded version and how many requests are using it."""

    def __init__(self, number: int, model: LoadedModel):
        self.number = number
        self.model = model
        self.users = 0
        self.retired = False
        self.freed = False


class ModelVersions:
    """Serves the newest version of a folder, and changes to another without anybody waiting.

    A new version is loaded and warmed up while the old one goes on answering. Then requests go to the new one, and
    the old one is freed once the last request that uses it has its answer. A version that can't be loaded is
    reported, once for each state of its files, and changes nothing. Where the newest folder is taken away, the one
    before it is served again.

    Example:
        versions = ModelVersions(Path("exported"))
        with versions.use() as version:
            version.model.run(...)
    """

    def __init__(self, folder: Path, load: Callable[[Path], LoadedModel] = LoadedModel):
        self.folder = folder
        self._load = load
        self._lock = threading.Lock()  # of everything below
        self._serving: dict[int, ServedVersion] = {}
        self._current: int | None = None
        self._statuses: dict[int, VersionStatus] = {}
        self._broken: dict[int, tuple] = {}

    def begin(self) -> None:
        """Loads the newest version; a CorefError says why that can't be."""
        number, path = newest_version(self.folder)
        self._replace(number, path)

    def refresh(self) -> None:
        """Looks whether the folder has another newest version by now, and changes to it."""
        try:
            found = find_versions(self.folder)
            number, path = max(item for item in found.items() if not self._is_broken(*item))
        except (OSError, ValueError):
            return  # nothing to change to: what is loaded goes on
        if number == self._current:
            return
        try:
            self._replace(number, path)
        except CorefError as error:
            going_on = f"; version {self._current} goes on" if self._current is not None else ""
            print(f"error: {error}{going_on}", file=sys.stderr, flush=True)

    def watch(self, seconds: float, stop: threading.Event) -> None:
        """Refreshes every few seconds until told to stop, whatever it finds; a thread's work."""
        while not stop.wait(seconds):
            try:
                self.refresh()
            except Exception:  # a mistake of ours, which is not to end the watch for good
                traceback.print_exc()

    @contextlib.contextmanager
    def use(self, number: int | None = None) -> Iterator[ServedVersion]:
        """A version, by default the newest, that stays in memory meanwhile."""
        with self._lock:
            version = self._serving.get(self._current if number is None else number)
            if version is None or version.retired:
                raise self._unavailable(number)
            version.users += 1
        try:
            yield version
        finally:
            with self._lock:
                version.users -= 1
            self._free_unused(version)

    def current(self) -> int | None:
        """The version that requests go to; None while there is none."""
        return self._current

    def statuses(self, number: int | None = None) -> dict[int, VersionStatus]:
        """The states of all versions since the start, newest first, or of one."""
        with self._lock:
            known = dict(sorted(self._statuses.items(), reverse=True))
        if number is None:
            return known
        if number not in known:
            raise RequestError(404, f"there is no version {number}; expected {_either(known)}")
        return {number: known[number]}

    def _replace(self, number: int, path: Path) -> None:
        """Loads a version and lets it take over."""
        began, files = time.monotonic(), fingerprint(path)
        self._set_status(number, LOADING)
        try:
            model = _within(LOAD_SECONDS, lambda: self._prepare(path))
        except Exception as error:  # whatever is wrong with it, what is served goes on
            self._broken[number] = files
            self._set_status(number, END, "it can't be served; the server's log says why")
            raise (
                error if isinstance(error, CorefError) else CorefError(f"{path} can't be loaded: {error!r}")
            ) from None
        with self._lock:
            previous = self._serving.get(self._current)
            self._serving[number] = ServedVersion(number, model)
            self._current = number
            self._statuses[number] = VersionStatus(AVAILABLE)
            if previous is not None:
                previous.retired = True
                self._statuses[previous.number] = VersionStatus(UNLOADING)
        print(
            f"version {number} is served, loaded in {time.monotonic() - began:.1f} s",
            file=sys.stderr,
            flush=True,
        )
        if previous is not None:
            self._free_unused(previous)

    def _prepare(self, path: Path) -> LoadedModel:
        """A version that has shown that it answers."""
        check_files(path)
        model = self._load(path)
        try:
            model.warm_up(WARM_UP_SECONDS)
        except Exception as error:
            model.close()
            raise CorefError(f"{path} can't be run: {error}") from None
        return model

    def _free_unused(self, version: ServedVersion) -> None:
        """Frees a version that has been replaced and that no request uses any more."""
        with self._lock:
            if not version.retired or version.users or version.freed:
                return
            version.freed = True
            if self._serving[version.number] is version:  # and not loaded again meanwhile
                del self._serving[version.number]
                self._statuses[version.number] = VersionStatus(END)
        version.model.close()

    def _is_broken(self, number: int, path: Path) -> bool:
        return number in self._broken and self._broken[number] == fingerprint(path)

    def _set_status(self, number: int, state: str, error: str = "") -> None:
        with self._lock:
            self._statuses[number] = VersionStatus(state, error)

    def _unavailable(self, number: int | None) -> RequestError:
        if number is None:
            return RequestError(503, "no version of the model is loaded yet", {"Retry-After": "1"})
        available = [version.number for version in self._serving.values() if not version.retired]
        return RequestError(404, f"version {number} is not served; expected {_either(available)}")


def _either(numbers) -> str:
    return " or ".join(map(str, numbers)) or "none, as no version is loaded"


def _within(seconds: float, load: Callable[[], LoadedModel]) -> LoadedModel:
    """What `load` gives, unless it takes too long: then it is left to itself, and what it gives at last is freed."""
    outcome: concurrent.futures.Future[LoadedModel] = concurrent.futures.Future()

    def work() -> None:
        try:
            model = load()
        except Exception as error:
            outcome.set_exception(error) if outcome.set_running_or_notify_cancel() else None
            return
        if outcome.set_running_or_notify_cancel():
            outcome.set_result(model)
        else:
            model.close()

    threading.Thread(target=work, name="load", daemon=True).start()
    try:
        return outcome.result(timeout=seconds)
    except TimeoutError:
        # Where it has come at this very moment, it can't be cancelled any more, and is taken.
        if outcome.cancel():
            raise TimeoutError(f"it takes more than {seconds:g} seconds") from None
        return outcome.result()
