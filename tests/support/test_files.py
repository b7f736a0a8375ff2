"""Atomic writes, and outputs that aren't regular files."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from coref_tf.support.errors import CorefError
from coref_tf.support.files import (
    atomic_write,
    check_ending,
    check_outputs,
    printing_beside,
    shortened,
    write_json,
)

# Writes to a file, prints a line and waits to be killed.
WRITER = """
import sys, time
from coref_tf.support.files import atomic_write
with atomic_write(sys.argv[1]) as file:
    file.write("half of it")
    file.flush()
    print("writing", flush=True)
    time.sleep(60)
"""


def write(path, text="new\n"):
    with atomic_write(path) as file:
        file.write(text)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_failure_leaves_the_old_file(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), atomic_write(path) as file:
        file.write("new")
        raise RuntimeError
    assert path.read_text() == "old" and names(tmp_path) == ["x.txt"]


@pytest.mark.parametrize("exists", [True, False])
def test_writing_to_a_link_replaces_its_target(tmp_path, exists):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "x.txt", tmp_path / "link.txt"
    if exists:
        target.write_text("old")
    link.symlink_to("folder/x.txt")
    write(link)
    assert link.is_symlink() and target.read_text() == "new\n" and not target.is_symlink()


def test_circular_links_are_an_error(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        write(tmp_path / "a")
    assert (tmp_path / "a").is_symlink() and names(tmp_path) == ["a", "b"]


def test_a_pipe_is_written_to(tmp_path):
    path = tmp_path / "pipe.txt"
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_text()))
    reader.start()
    write(path)
    reader.join(10)
    assert read == ["new\n"] and path.is_fifo() and names(tmp_path) == ["pipe.txt"]


def test_a_device_is_written_to():
    before = os.stat("/dev/null")
    write("/dev/null")
    assert os.path.samestat(before, os.stat("/dev/null"))
    with pytest.raises(OSError, match="No space left"):
        write("/dev/full")


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_keeps_the_order(tmp_path, capfd, name):
    print("before")
    write(name)
    print("after", flush=True)
    assert capfd.readouterr().out == "before\nnew\nafter\n"
    assert not (tmp_path / name.strip("/")).exists()


def test_seekable_output_is_copied_to_standard_output(capfdbinary):
    with atomic_write("-", "w+b") as file:
        file.write(b"second")
        file.seek(0)
        file.write(b"first!")
    assert capfdbinary.readouterr().out == b"first!"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full, which this system doesn't have")
def test_the_error_for_a_full_disk_names_the_file():
    with pytest.raises(OSError) as error, atomic_write("/dev/full") as file:
        file.write("x" * 100)
    assert error.value.filename == "/dev/full"


def test_leftovers_of_a_killed_process_are_removed_by_the_next_write(tmp_path):
    path = tmp_path / "x[1].txt"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout.readline() == "writing\n"
    (tmp_path / ".x[1].txt.notes.tmp").write_text("somebody's own")
    (tmp_path / ".x1.txt.77.tmp").write_text("of another file")
    left = [f".x[1].txt.{writer.pid}.tmp"]
    others = [".x1.txt.77.tmp", ".x[1].txt.notes.tmp"]
    write(path)
    assert names(tmp_path) == sorted([*others, *left, "x[1].txt"])  # the writer is still alive
    writer.kill()
    writer.wait()
    writer.stdout.close()
    assert names(tmp_path) == sorted([*others, *left, "x[1].txt"])
    write(path)
    assert names(tmp_path) == sorted([*others, "x[1].txt"])


def test_an_output_that_is_an_input_is_refused(tmp_path):
    path, link, hard = tmp_path / "x.txt", tmp_path / "link.txt", tmp_path / "hard.txt"
    path.write_text("text")
    link.symlink_to(path)
    hard.hardlink_to(path)
    for output in (path, link, hard, tmp_path / "." / "x.txt"):
        with pytest.raises(CorefError, match="is an input of this command"):
            check_outputs([output], [tmp_path / "y.txt", path])
    check_outputs([tmp_path / "new.txt", None, "/dev/null", "/dev/null"], [path, None, "/dev/null", "-"])


def test_redirected_standard_input_and_output_are_checked(tmp_path):
    """`coref ... - -o x < x` and `coref ... x >> x`, which would read its own output forever, are refused."""
    path = tmp_path / "x.txt"
    path.write_text("text")
    code = "import sys; from coref_tf.support.files import check_outputs; check_outputs([sys.argv[1]], [sys.argv[2]])"
    for output, source in ((str(path), "-"), ("-", str(path)), ("-", "-")):
        with open(path) as stdin, open(path, "a") as stdout:
            done = subprocess.run(
                [sys.executable, "-c", code, output, source],
                stdin=stdin,
                stdout=stdout,
                stderr=subprocess.PIPE,
            )
        assert b"is an input of this command" in done.stderr
    assert path.read_text() == "text"


def test_outputs_that_cannot_be_written_are_refused(tmp_path):
    cases = [
        ([tmp_path / "none" / "x.txt"], f"there is no folder {tmp_path / 'none'}; create it"),
        ([tmp_path], "is a folder; expected the name of a file"),
        ([tmp_path / "x", tmp_path / "x"], "is given for two outputs"),
        (["-", "-"], "-: is given for two outputs"),
    ]
    for outputs, message in cases:
        with pytest.raises(CorefError) as caught:
            check_outputs(outputs)
        assert message in str(caught.value)
    with pytest.raises(CorefError, match=r"x\.txt: expected an output whose name ends in \.json"):
        check_ending("x.txt", ".json")
    for fine in ("-", "/dev/null", "x.JSON", None):
        check_ending(fine, ".json")


def test_names_that_are_not_utf_8(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.json")
    write_json(path, {"name": os.fsdecode(b"\xff"), "é": 1})
    with open(path, encoding="utf-8") as file:
        assert json.load(file) == {"name": "\udcff", "é": 1}
    with pytest.raises(CorefError, match="\ufffd"):
        check_outputs([path], [path])


def test_messages_are_kept_out_of_standard_output_if_it_is_an_output(capfd):
    with printing_beside(None, "-"):
        print("for people")
    with printing_beside("x.json", None):
        print("as always")
    out, err = capfd.readouterr()
    assert (out, err) == ("as always\n", "for people\n")


def test_paths_inside_a_folder_are_shortened(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert shortened(tmp_path / "data" / "a.h5") == Path("data/a.h5")
    assert shortened(tmp_path / "docs" / ".." / "data" / "a.h5") == Path("data/a.h5")
    assert shortened("data/a.h5", "data") == Path("a.h5")
    outside = tmp_path.parent / "b.h5"
    assert shortened(outside) == outside
