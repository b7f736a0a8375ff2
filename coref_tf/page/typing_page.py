"""The page to type into: that of a document, with a form above it, for a server that resolves what is typed."""

import functools
import html
import re

from coref_tf.page.writer import SCRIPTS, STYLES, Page, asset, fill_template


@functools.lru_cache(maxsize=4)
def typing_page(title: str, notice: str = "") -> Page:
    """The page as a server answers with it; the server has to answer `resolve`, beside it, too.

    Args:
        title: of the page, such as the model's name.
        notice: why nothing can be resolved, where that is so.

    Example:
        typing_page("best").html
    """
    shown = f'<p class="notice">{html.escape(notice)}</p>' if notice else ""
    form = re.sub(r"\{\{notice\}\}", lambda _: shown, asset("typing.html"))
    scripts = [*(name for name in SCRIPTS if name != "start"), "examples", "copying", "typing"]
    values = {"kind": ' class="typing empty"', "form": form, "settings": "{}"}
    return fill_template(title, [*STYLES, "typing"], scripts, values, allowed="; connect-src 'self'")
