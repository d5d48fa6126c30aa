"""The message of a command if Elasticsearch does not answer."""

from collections.abc import Callable

import pytest

import edgar_search.cli
import ingest.cli


@pytest.mark.parametrize(
    ("main", "command"),
    [
        (edgar_search.cli.main, ["keys", "list"]),
        (ingest.cli.main, ["indices", "list"]),
    ],
)
def test_elasticsearch_that_does_not_answer_is_told_with_the_setting(
    main: Callable[[list[str]], int],
    command: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("EDGAR_SEARCH_ES_URL", "http://127.0.0.1:1")
    assert main(command) == 1
    assert capsys.readouterr().err.endswith(
        ": the search engine is not reachable: no address of EDGAR_SEARCH_ES_URL takes connections;"
        " is it running there?\n"
    )
