"""Headless Chromium for the tests of the pages, which are skipped if it isn't installed."""

import shutil

import pytest
from fake_model import FakeModel
from fake_predictions import SETTINGS, fire, predicted
from running_server import running

from coref_tf.documents import Document
from coref_tf.page.writer import open_page

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    """Chromium, started once per file. An event loop runs as long as it does, so other files must not share it."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("needs Chromium, which is not on this machine; `apt-get install chromium` brings it")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright (requirements-dev.txt)")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser):
    """A function visit(path, address="", ignored=None, **context) that opens a page in a new browser context.

    The path is a file or the address of a server. Every error, console message and request to elsewhere fails the
    test, except console messages that begin with `ignored`.
    """
    contexts, problems = [], []

    def visit_page(path, address="", ignored=None, **options):
        home = path if isinstance(path, str) else path.as_uri()
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
        contexts.append(context)
        context.set_default_timeout(20_000)
        page = context.new_page()

        def say(problem):
            if ignored is None or not problem.startswith(ignored):
                problems.append(problem)

        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("console", lambda message: say(f"console: {message.text}"))
        page.on(
            "request",
            lambda request: request.url.startswith(home) or problems.append(f"request: {request.url}"),
        )
        page.goto(home + address)
        return page

    yield visit_page
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture(scope="module")
def home():
    """The address of the page of a server with a fake model."""
    with running(FakeModel()) as client:
        yield f"http://127.0.0.1:{client.port}/"


@pytest.fixture(scope="session")
def fire_page(tmp_path_factory):
    """A page with a small document and a tiny one."""
    path = tmp_path_factory.mktemp("page") / "fire.html"
    with open_page(path, "best, fire.jsonlines", SETTINGS) as write:
        write(fire())
        write(predicted(Document("nw/second", [["She", "left", "."]]), [(0, 0)], [1.0], None, {}))
    return path
