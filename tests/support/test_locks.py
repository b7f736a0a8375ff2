"""A folder's lock is held by one process, whose id a second one is told, and freed when the process dies."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from coref_tf.support.errors import CorefError
from coref_tf.support.locks import locked_folder

ROOT = Path(__file__).resolve().parents[2]
HOLD = """
import sys, time
sys.path.insert(0, {root!r})
from coref_tf.support.locks import locked_folder
with locked_folder({folder!r}):
    print("held", flush=True)
    time.sleep(600)
"""


def test_the_error_names_the_holder_and_killing_it_frees_the_lock(tmp_path):
    folder = tmp_path / "logs" / "best"
    script = HOLD.format(root=str(ROOT), folder=str(folder))
    holder = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(
            CorefError, match=rf"another run is using this folder \(process {holder.pid} since 2"
        ):
            locked_folder(folder).__enter__()
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with locked_folder(folder):
        assert str(os.getpid()) in (folder / "running.json").read_text()
    assert list(folder.iterdir()) == []
