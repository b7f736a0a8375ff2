"""Every option that names an output refuses invalid paths before any work, and `-` means standard output."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import pytest
from command import call

from coref_tf.support.errors import run_command
from coref_tf.support.files import atomic_write

ROOT = Path(__file__).resolve().parents[2]
FERRY = ROOT / "tests" / "fixtures" / "ferry.v4_gold_conll"
REFERENCE = ROOT / "tests" / "fixtures" / "reference"
CONF = ["--conf", str(REFERENCE / "experiments.conf")]
# The arguments of each command, in which OUT is the output, and a valid extension for OUT.
COMMANDS = {
    "predict": ("predict small in.conll -o OUT", ".jsonlines"),
    "convert": ("documents convert in.conll OUT", ".jsonl"),
    "compile": ("documents compile inline OUT", ".conll"),
    "evaluate --json": ("evaluate small --data in.conll --json OUT", ".json"),
    "evaluate --conll": ("evaluate small --data in.conll --conll OUT", ".conll"),
    "score": ("score in.conll in.conll --json OUT", ".json"),
    "score compare": ("score compare in.conll in.conll in.conll --json OUT", ".json"),
    "vectors": ("features convert in.txt OUT", ".h5"),
    "characters": ("features characters OUT in.conll", ".txt"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The working directory, with input files."""
    (tmp_path / "in.conll").write_bytes(FERRY.read_bytes())
    (tmp_path / "in.txt").write_bytes((REFERENCE / "glove.txt").read_bytes())
    (tmp_path / "inline" / "nw").mkdir(parents=True)
    (tmp_path / "inline" / "nw" / "x.txt").write_text("[a|Ana] said [a|she] left.\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refusal(capsys, name, output):
    """Returns the one-line error with which a command refuses an output."""
    words = COMMANDS[name][0].replace("OUT", str(output)).split()
    words += CONF if words[0] in ("predict", "evaluate") else []
    assert call(*words) == 1, words
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("error: ") and err.count("\n") == 1, err
    return err


@pytest.mark.parametrize("name", COMMANDS)
def test_invalid_outputs_are_refused(folder, capsys, name):
    before = sorted(folder.rglob("*"))
    ending = COMMANDS[name][1]
    assert "expected an output" in refusal(capsys, name, "out.xyz")
    assert "there is no folder" in refusal(capsys, name, f"none/out{ending}")
    (folder / f"taken{ending}").mkdir()
    assert "is a folder" in refusal(capsys, name, f"taken{ending}")
    (folder / f"taken{ending}").rmdir()
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "compile"])
def test_an_output_that_is_an_input_is_refused(folder, capsys, name):
    source = folder / ("in.txt" if name == "vectors" else "in.conll")
    content = source.read_bytes()
    link = folder / f"link{COMMANDS[name][1]}"
    link.symlink_to(source)
    assert "is an input of this command" in refusal(capsys, name, link.name)
    assert source.read_bytes() == content and link.is_symlink()


@pytest.mark.parametrize("name", ["convert", "compile", "score", "score compare", "characters", "vectors"])
def test_standard_output_holds_the_output_alone(folder, capfdbinary, name):
    assert call(*COMMANDS[name][0].replace("OUT", "-").split()) in (0, None)
    out = capfdbinary.readouterr().out
    if name == "vectors":
        (folder / "x.h5").write_bytes(out)
        with h5py.File(folder / "x.h5") as file:
            assert list(file)
    elif name == "characters":
        assert set("the") <= set(out.decode())
    else:
        assert all(map(json.loads, out.splitlines() if name in ("convert", "compile") else [out]))


def test_a_format_may_be_named(folder, capfdbinary):
    assert call("documents", "convert", "in.conll", "-", "--format", "conll") == 0
    assert capfdbinary.readouterr().out == FERRY.read_bytes()
    assert call("documents", "convert", "in.conll", "x.jsonl", "--format", "conll") == 1
    assert b"the file extension means jsonlines" in capfdbinary.readouterr().err


def test_file_names_that_are_not_utf_8(folder, capsys):
    odd = os.fsdecode(b"\xff\xfe")
    os.rename("in.conll", f"{odd}.conll")
    assert call("documents", "convert", f"{odd}.conll", f"{odd}.jsonl") == 0
    assert call("documents", "stats", f"{odd}.conll", f"{odd}.jsonl") == 0
    assert call("documents", "lint", f"{odd}.jsonl", f"{odd}.conll") == 0
    assert call("score", f"{odd}.conll", f"{odd}.conll", "--json", f"{odd}.json") is None
    assert call("features", "characters", f"{odd}.txt", f"{odd}.jsonl") is None
    assert call("features", "convert", "in.txt", f"{odd}.h5", "--vocabulary", f"{odd}.jsonl") in (None, 1)
    assert call("documents", "lint", f"{odd}.pdf", f"{odd}.none.conll") == 1
    assert "Traceback" not in capsys.readouterr().err


def test_closed_pipe_and_full_disk(folder):
    command = [sys.executable, "-m", "coref_tf", "documents", "convert", "in.conll", "-"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment)
    assert done.returncode == 1 and done.stderr == "error: standard output: No space left on device\n"
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, env=environment)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_sigterm_is_handled_like_ctrl_c(folder, capsys):
    def work():
        with atomic_write("x.txt") as file:
            file.write("half")
            os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended:
        run_command(work)
    assert ended.value.code == 130 and capsys.readouterr().err == "interrupted\n"
    assert not (folder / "x.txt").exists() and not list(folder.glob(".*.tmp"))
    assert signal.getsignal(signal.SIGTERM) == before


def test_importing_the_package_silences_tensorflow():
    environment = {name: value for name, value in os.environ.items() if name != "TF_CPP_MIN_LOG_LEVEL"}
    code = "import os, coref_tf.inference; print(os.environ['TF_CPP_MIN_LOG_LEVEL'])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment | {"PYTHONPATH": str(ROOT)},
    )
    assert done.stdout == "3\n", done.stderr
