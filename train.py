#!/usr/bin/env python3
"""Trains an experiment, like `coref train`, in a checkout without an activated environment."""

from coref_tf.support.environment import use_project_environment

use_project_environment()

from coref_tf.commands.main import run  # noqa: E402

if __name__ == "__main__":
    run("train")
