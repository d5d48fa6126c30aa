"""Settings from environment variables."""

import re
from pathlib import Path

import httpx
import pytest

from edgar_search.errors import SettingsError
from edgar_search.settings import Settings


def refusal(name: str, value: str) -> str:
    with pytest.raises(SettingsError) as caught:
        Settings.from_environ({f"EDGAR_SEARCH_{name}": value})
    return str(caught.value)


def test_nothing_set_gives_the_defaults() -> None:
    assert Settings.from_environ({}) == Settings()


def test_a_connection_waits_longer_than_the_official_sdk_keeps_it() -> None:
    """Else a request could be sent on a connection that the service is just closing."""
    kept_by_client = httpx.Limits().keepalive_expiry
    assert kept_by_client is not None
    # A busy client is late.
    assert Settings().keep_alive > 2 * kept_by_client


def test_every_kind_of_value_is_read() -> None:
    environ = {
        "EDGAR_SEARCH_HOME": "/srv/edgar",
        "EDGAR_SEARCH_PREFIX": "second-",
        "EDGAR_SEARCH_PARTITION": "year",
        "EDGAR_SEARCH_ES_URL": "https://search.example:9200",
        "EDGAR_SEARCH_ES_TIMEOUT": "2.5",
        "EDGAR_SEARCH_ES_CONNECTIONS": "8",
        "EDGAR_SEARCH_ARCHIVE": "false",
    }
    assert Settings.from_environ(environ) == Settings(
        home=Path("/srv/edgar"),
        prefix="second-",
        partition="year",
        es_url="https://search.example:9200",
        es_timeout=2.5,
        es_connections=8,
        archive=False,
    )


def test_other_variables_are_nobodys_business() -> None:
    environ = {"PATH": "/bin", "EDGAR_SEARCH_TEST_ES_URL": "x", "OTHER_EDGAR_SEARCH_HOME": "y"}
    assert Settings.from_environ(environ) == Settings()


def test_empty_value_is_an_absent_one() -> None:
    environ = {"EDGAR_SEARCH_ES_TIMEOUT": "", "EDGAR_SEARCH_ES_URL": ""}
    assert Settings.from_environ(environ) == Settings()


def test_former_setting_is_ignored_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    assert Settings.from_environ({"EDGAR_SEARCH_ALERTS_LEASE": "5"}) == Settings()
    assert caplog.messages == ["EDGAR_SEARCH_ALERTS_LEASE is no longer a setting: ignored"]


def test_unknown_setting_is_refused_by_name() -> None:
    assert refusal("PREFFIX", "x") == "EDGAR_SEARCH_PREFFIX is not a setting of edgar-search"


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("PARTITION", "month", "must be one of none, year"),
        ("ES_TIMEOUT", "soon", "must be a number above 0, 3600 at most"),
        ("ES_TIMEOUT", "0", "must be a number above 0, 3600 at most"),
        ("ES_TIMEOUT", "-1", "must be a number above 0, 3600 at most"),
        ("ES_TIMEOUT", "nan", "must be a number above 0, 3600 at most"),
        ("ES_TIMEOUT", "inf", "must be a number above 0, 3600 at most"),
        ("ES_CONNECTIONS", "0", "must be a whole number from 1 on"),
        ("ES_CONNECTIONS", "1.5", "must be a whole number from 1 on"),
        ("ENGINE_VERSION", "8.0.0", "must be one of 9.2.4, 9.5.4, auto"),
        ("SMTP_PORT", "-1", "must be a whole number from 1 to 65535"),
        ("SMTP_PORT", "65536", "must be a whole number from 1 to 65535"),
        ("MAX_WINDOW", "0", "must be a whole number from 1 on"),
        ("HISTORY_MONTHS", "0", "must be a whole number from 1 on"),
        ("ARCHIVE", "perhaps", "must be true or false"),
        ("DRAIN", "-1", "must be a number from 0 to 3600"),
        ("METRICS", "all", "must be one of loopback, none, token"),
        ("METRICS_TOKEN", "short", "must be 16 characters of ASCII or more, without spaces"),
        ("EDGAR_URL", "sec.gov", "must be http:// or https:// and a host, no path"),
    ],
)
def test_wrong_value_is_refused_with_the_name_of_its_variable(
    name: str, value: str, reason: str
) -> None:
    assert refusal(name, value) == f"EDGAR_SEARCH_{name}: {reason}"


def test_password_of_elasticsearch_may_be_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text("secret\n")
    settings = Settings.from_environ({"EDGAR_SEARCH_ES_PASSWORD_FILE": str(path)})
    assert settings.es_password == "secret"


def test_file_of_a_password_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "binary").write_bytes(b"\xff")
    for name, reason in [
        ("absent", "No such file or directory"),
        ("empty", "is empty"),
        ("binary", "is not a file of text"),
    ]:
        path = str(tmp_path / name)
        assert refusal("ES_PASSWORD_FILE", path) == (
            f"EDGAR_SEARCH_ES_PASSWORD_FILE: {path}: {reason}"
        )


def test_password_of_elasticsearch_is_given_once(tmp_path: Path) -> None:
    given = {
        "EDGAR_SEARCH_ES_PASSWORD": "secret",
        "EDGAR_SEARCH_ES_PASSWORD_FILE": str(tmp_path / "password"),
    }
    with pytest.raises(SettingsError, match="^set EDGAR_SEARCH_ES_PASSWORD or EDGAR"):
        Settings.from_environ(given)


@pytest.mark.parametrize("prefix", ["Edgar-", "1edgar", "-edgar", "ed gar", "edgar.", "edgar-\n"])
def test_prefix_that_clashes_with_index_names_is_refused(prefix: str) -> None:
    assert refusal("PREFIX", prefix).startswith("EDGAR_SEARCH_PREFIX: must be a small letter")


def test_prefix_may_have_60_characters() -> None:
    assert Settings.from_environ({"EDGAR_SEARCH_PREFIX": "e" * 60}).prefix == "e" * 60


def test_prefix_of_61_characters_is_refused() -> None:
    assert refusal("PREFIX", "e" * 61).endswith(" 60 characters at most")


@pytest.mark.parametrize("heap", ["1", "0g", "1gb", "-Xmx1g", "1g\n"])
def test_heap_without_number_and_unit_is_refused(heap: str) -> None:
    expected = "EDGAR_SEARCH_ENGINE_HEAP: must be a number and m or g, such as 512m or 4g"
    assert refusal("ENGINE_HEAP", heap) == expected


@pytest.mark.parametrize("name", Settings.__struct_fields__)
def test_every_setting_that_can_be_wrong_says_what_would_be_right(name: str) -> None:
    try:
        Settings.from_environ({f"EDGAR_SEARCH_{name.upper()}": "\x00"})
    except SettingsError as error:
        # The words of msgspec, which are for programmers.
        assert not re.search("Expected|Invalid|Object", str(error))


def test_token_that_is_missing_is_asked_for_by_full_names() -> None:
    expected = "EDGAR_SEARCH_METRICS_TOKEN is needed if EDGAR_SEARCH_METRICS is `token`"
    assert refusal("METRICS", "token") == expected


def test_home_does_not_move_with_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Settings(home=Path("data")).absolute_home == tmp_path.resolve() / "data"


def test_home_may_begin_with_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/operator")
    assert Settings(home=Path("~/data")).absolute_home == Path("/home/operator/data")
