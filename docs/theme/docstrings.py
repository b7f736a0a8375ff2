"""Shows the `Example:` section of a docstring as Python code in the API reference."""

import re
import textwrap
from typing import Any

from griffe import Extension, Object

_EXAMPLE = re.compile(r"^Example:\n((?:    .*\n?|\n)+)", re.MULTILINE)


class Examples(Extension):
    """Puts the code of examples into fences, as Markdown wants it; docstrings themselves stay plain."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrites the docstring of a module, class, function or attribute."""
        if obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub(_fence, obj.docstring.value)


def _fence(example: re.Match[str]) -> str:
    code = textwrap.dedent(example[1]).strip("\n")
    return f"**Example**\n\n```python\n{code}\n```\n\n"
