"""Signals that end a command."""

import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WRITE = """
import sys, time
sys.path.insert(0, {root!r})
from coref_tf.support.errors import run_command
from coref_tf.support.files import atomic_write
def main():
    with atomic_write({path!r}) as file:
        file.write("half")
        print("writing", flush=True)
        time.sleep(600)
run_command(main)
"""


def test_sigterm_is_handled_like_ctrl_c(tmp_path):
    """Both leave no partial file and print no traceback."""
    script = WRITE.format(root=str(ROOT), path=str(tmp_path / "out.jsonlines"))
    for number in (signal.SIGTERM, signal.SIGINT):
        process = subprocess.Popen(
            [sys.executable, "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A shell that runs the tests in the background makes them and their children ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        assert process.stdout.readline() == "writing\n"
        process.send_signal(number)
        assert process.communicate(timeout=60)[1] == "interrupted\n" and process.returncode == 130
        assert list(tmp_path.iterdir()) == []
