"""Entry point of `python -m coref_tf`, which is equivalent to `coref`."""

from coref_tf.support.environment import use_project_environment

use_project_environment()

from coref_tf.commands.main import run  # noqa: E402

if __name__ == "__main__":
    run()
