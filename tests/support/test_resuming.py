"""A long write resumes after an interruption."""

import json
import os
import signal
import subprocess
import sys

import pytest

from coref_tf.support import resuming
from coref_tf.support.errors import CorefError
from coref_tf.support.resuming import resumable_write

WHOLE = b"".join(b"%d\n" % number for number in range(10))


def write_numbers(path, job, stop=10, error=KeyboardInterrupt):
    """Writes the numbers up to 10, or fails in the middle of `stop`; returns the number it began with."""
    with resumable_write(path, job) as output:
        began = output.done
        for number in range(began, 10):
            if number == stop:
                output.file.write(b"half of ")
                raise error
            output.file.write(b"%d\n" % number)
            output.add()
    return began


@pytest.mark.parametrize("error", [KeyboardInterrupt, CorefError("no"), OSError("disk full")])
def test_writing_resumes_after_the_last_whole_piece(tmp_path, error):
    path = tmp_path / "numbers"
    path.write_text("what was there")
    for stop in (3, 7):
        with pytest.raises(type(error) if isinstance(error, Exception) else error):
            write_numbers(path, "job", stop, error)
        assert path.read_text() == "what was there"
    assert write_numbers(path, "job") == 7
    assert path.read_bytes() == WHOLE
    assert os.listdir(tmp_path) == ["numbers"]


def test_writing_resumes_after_a_kill(tmp_path):
    program = f"""
import os, signal
from coref_tf.support import resuming
resuming.SECONDS_BETWEEN_MARKS = 0
with resuming.resumable_write({str(tmp_path / "numbers")!r}, "job") as output:
    for number in range(6):
        output.file.write(b"%d\\n" % number)
        output.add()
    resuming.SECONDS_BETWEEN_MARKS = 60
    output.file.write(b"6\\nhalf of ")
    output.file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program]).returncode == -signal.SIGKILL
    assert write_numbers(tmp_path / "numbers", "job") == 6
    assert (tmp_path / "numbers").read_bytes() == WHOLE


def test_another_job_starts_over(tmp_path):
    path = tmp_path / "numbers"
    with pytest.raises(KeyboardInterrupt):
        write_numbers(path, {"to": (1, 2)}, stop=5)
    assert json.loads((tmp_path / "numbers.progress").read_text())["done"] == 5
    assert write_numbers(path, {"to": (1, 3)}) == 0
    assert path.read_bytes() == WHOLE


def test_progress_of_an_overwritten_job_is_discarded(tmp_path):
    path = tmp_path / "numbers"
    with pytest.raises(KeyboardInterrupt):
        write_numbers(path, "job", stop=5)
    program = f"""
import os, signal
from coref_tf.support.resuming import resumable_write
with resumable_write({str(path)!r}, "another") as output:
    output.file.write(b"what another job has " * 9)
    output.file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", program])
    assert write_numbers(path, "job") == 0
    assert path.read_bytes() == WHOLE


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"job": "job", "done": 5, "bytes": 1000}'])
def test_invalid_progress_is_ignored(tmp_path, damage):
    path = tmp_path / "numbers"
    with pytest.raises(KeyboardInterrupt):
        write_numbers(path, "job", stop=5)
    (tmp_path / "numbers.progress").write_text(damage)
    assert write_numbers(path, "job") == 0
    assert path.read_bytes() == WHOLE


def test_a_job_that_wrote_nothing_leaves_no_files(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        write_numbers(tmp_path / "numbers", "job", stop=0)
    assert os.listdir(tmp_path) == []


def test_two_writers_at_once_are_refused(tmp_path):
    path = tmp_path / "numbers"
    with resumable_write(path, "job") as output:
        output.file.write(b"1\n")
        output.add()
        with pytest.raises(CorefError, match="another command is writing this file"):
            write_numbers(path, "job")
    assert path.read_bytes() == b"1\n"


def test_a_file_that_has_just_been_finished_is_not_overwritten(tmp_path, monkeypatch):
    path = tmp_path / "numbers"
    lock = resuming.fcntl.flock

    def finish_first(file, how):
        os.replace(tmp_path / "numbers.partial", path)
        path.write_bytes(WHOLE)
        lock(file, how)

    monkeypatch.setattr(resuming.fcntl, "flock", finish_first)
    with pytest.raises(CorefError, match="another command"):
        write_numbers(path, "job")
    assert path.read_bytes() == WHOLE
