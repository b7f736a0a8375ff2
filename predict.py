#!/usr/bin/env python3
"""Predicts clusters: `python predict.py story.txt`, or `python predict.py EXPERIMENT... INPUT OUTPUT`."""

from coref_tf.support.environment import use_project_environment

use_project_environment()

from coref_tf.commands.main import run  # noqa: E402

if __name__ == "__main__":
    run("predict", "--as-script")
