"""Extracts the text of an untrusted file in a process with limited memory and time.

python -m coref_tf.documents.extraction report.docx < content > text
"""

import resource
import sys

from coref_tf.documents.formats import input_format
from coref_tf.support.errors import CorefError, run_command

_MAX_MEMORY = 2 * 2**30  # bytes of address space
_MAX_SECONDS = 30  # of processor time


def main() -> None:
    """Reads the file named on the command line from standard input, and writes its text to standard output."""
    name = sys.argv[1]
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_MAX_SECONDS, _MAX_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    extract = input_format(name).extract
    if extract is None:
        raise CorefError(f"{name}: is not a text file; expected a file with text, such as .txt or .docx")
    text = extract(sys.stdin.buffer.read(), name)
    sys.stdout.buffer.write(text.encode())


if __name__ == "__main__":
    run_command(main)
