"""python -m coref_tf.bench [--only NAME] [--json FILE]: how fast the fast things are, on this machine."""

import argparse
import importlib
import json
import pkgutil

import coref_tf.bench
from coref_tf.environment import use_project_environment
from coref_tf.errors import run_command
from coref_tf.files import atomic_write


def main() -> None:
    """Runs the benchmarks one after another and prints their rows."""
    names = [module.name for module in pkgutil.iter_modules(coref_tf.bench.__path__)]
    names.remove("__main__")
    parser = argparse.ArgumentParser(prog="python -m coref_tf.bench", description="Times the fast things.")
    parser.add_argument("--only", choices=names, help="run this benchmark alone")
    parser.add_argument("--json", metavar="FILE", help="write the rows to FILE, too")
    arguments = parser.parse_args()

    rows = []
    for name in [arguments.only] if arguments.only else names:
        for row in importlib.import_module(f"coref_tf.bench.{name}").run():
            rows.append(row)
            print(_text(row), flush=True)
    if arguments.json:
        with atomic_write(arguments.json) as file:
            file.write(json.dumps(rows, indent=1) + "\n")


def _text(row: dict) -> str:
    rounded = {key: f"{value:.4g}" if isinstance(value, float) else value for key, value in row.items()}
    return ", ".join(f"{key} {value}" for key, value in rounded.items()).removeprefix("benchmark ")


if __name__ == "__main__":
    use_project_environment()
    run_command(main)
