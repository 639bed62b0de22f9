from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest

from chalicelib.logs.setting_up import TALKATIVE, start_logging

from .entries import an_entry


@pytest.fixture
def root() -> Iterator[logging.Logger]:
    """A root of one's own. The named loggers are everybody's, so their levels are put back."""
    names = ("graft", *TALKATIVE)
    levels = {name: logging.getLogger(name).level for name in names}
    yield logging.RootLogger(logging.WARNING)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


class TheirHandler(logging.Handler):
    """Stands for the one that the Lambda runtime puts on the root: it ends no line by itself."""

    def __init__(self, stream: io.StringIO) -> None:
        super().__init__()
        self.stream = stream

    def emit(self, record: logging.LogRecord) -> None:
        self.stream.write(self.format(record))


TheirHandler.__module__ = "awslambdaric.bootstrap"


def test_on_lambda_its_own_handler_is_kept_and_speaks_json(root: logging.Logger) -> None:
    stream = io.StringIO()
    root.addHandler(TheirHandler(stream))
    for _ in range(2):
        start_logging(stage="prod", level=logging.INFO, root=root)
        root.handle(an_entry("run", fields={"run": "r1"}))
    assert len(root.handlers) == 1
    assert [json.loads(line)["run"] for line in stream.getvalue().splitlines()] == ["r1", "r1"]


def test_without_one_the_lines_go_to_standard_output(root: logging.Logger, capsys: pytest.CaptureFixture[str]) -> None:
    start_logging(stage="prod", level=logging.INFO, root=root)
    root.handle(an_entry("run", fields={"run": "r1"}))
    assert json.loads(capsys.readouterr().out)["run"] == "r1"


def test_a_terminal_gets_plain_lines_on_standard_error_and_each_once(
    root: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        start_logging(stage=None, level=logging.INFO, root=root)
    root.handle(an_entry("run", fields={"run": "r1"}))
    written = capsys.readouterr()
    assert (written.out, written.err.count("run=r1")) == ("", 1)


def test_other_libraries_stay_quiet_whatever_level_the_process_is_set_to(
    root: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    """Report: open-mercato/open-mercato#2660"""
    start_logging(stage="prod", level=logging.DEBUG, root=root)
    root.setLevel(logging.DEBUG)
    for name in ("botocore.endpoint", "urllib3.connectionpool", "mcp.client", "rootless"):
        root.handle(an_entry("params: canary", name=name, level=logging.DEBUG))
        root.handle(an_entry("headers: canary", name=name, level=logging.INFO))
    assert capsys.readouterr().out == ""
    root.handle(an_entry("pool is full", name="urllib3.connectionpool", level=logging.WARNING))
    assert json.loads(capsys.readouterr().out)["message"] == "pool is full"
    assert not any(logging.getLogger(f"{name}.x").isEnabledFor(logging.INFO) for name in TALKATIVE)


def test_ours_speak_from_the_level_that_was_asked_for(root: logging.Logger) -> None:
    start_logging(stage=None, level=logging.ERROR, root=root)
    assert not logging.getLogger("graft.mcp").isEnabledFor(logging.WARNING)
    start_logging(stage=None, level=logging.DEBUG, root=root)
    assert logging.getLogger("graft.mcp").isEnabledFor(logging.DEBUG)
