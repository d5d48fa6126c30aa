"""The doctor's findings about settings by themselves."""

from pathlib import Path

import pytest

from edgar_search.doctor.doctor import look_at_issuer, look_at_settings
from edgar_search.settings import Settings
from tests.support.issuer import TOKEN, Answer, Issuer, answer, private_key

OF_YEARS = {"EDGAR_SEARCH_PARTITION_FROM": "2010", "EDGAR_SEARCH_SHARDS": "passages.2024=3"}


@pytest.mark.parametrize(
    ("environ", "text"),
    [
        (
            {"EDGAR_SEARCH_PARTITION_FROM": "2010"},
            "EDGAR_SEARCH_PARTITION_FROM=2010 is without effect",
        ),
        (
            {"EDGAR_SEARCH_SHARDS": "documents=2,passages.2024=3"},
            "EDGAR_SEARCH_SHARDS=passages.2024 is without effect",
        ),
        (
            OF_YEARS,
            "EDGAR_SEARCH_SHARDS=passages.2024, EDGAR_SEARCH_PARTITION_FROM=2010"
            " are without effect",
        ),
    ],
)
def test_settings_of_years_that_are_not_apart_are_a_warning(
    environ: dict[str, str], text: str
) -> None:
    found = look_at_settings(Settings.from_environ(environ))
    assert (found.level, found.text) == ("warning", text)
    assert found.remedy == "set EDGAR_SEARCH_PARTITION=year"


@pytest.mark.parametrize(
    "environ",
    [{}, {"EDGAR_SEARCH_SHARDS": "documents=2"}, {**OF_YEARS, "EDGAR_SEARCH_PARTITION": "year"}],
)
def test_settings_with_effect_are_right(environ: dict[str, str]) -> None:
    assert look_at_settings(Settings.from_environ(environ)).level == "ok"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("local", "text"),
    [
        (False, "none is set; tokens are refused"),
        (True, "none but the local one, which is for development"),
    ],
)
async def test_issuer_that_is_not_set_is_told_from_the_local_one(local: bool, text: str) -> None:
    assert (await look_at_issuer(Settings(local_issuer=local))).text == text


def test_rules_of_an_issuer_that_cannot_be_read_are_named() -> None:
    found = look_at_settings(Settings(oidc_users="analysts"))
    expected = "EDGAR_SEARCH_OIDC_USERS: `analysts` is not a rule"
    assert (found.level, found.text.startswith(expected)) == ("wrong", True)


KNOWN = "publishes keys, and knows the client"
COMPARE = "compare EDGAR_SEARCH_OIDC_CLIENT_ID, _SECRET, _AUTH and _KEY with the client there"
LOOK = "check its token endpoint; nobody can sign in"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("said", "level", "text", "remedy"),
    [
        (answer({"error": "invalid_grant"}, 400), "ok", KNOWN, ""),
        (answer({"error": "invalid_request"}, 400), "ok", KNOWN, ""),
        (
            answer({"error": "invalid_client"}, 401),
            "wrong",
            "does not accept the client pages: status 401, error 'invalid_client'",
            COMPARE,
        ),
        (
            Answer(b"", 401),
            "wrong",
            "does not accept the client pages: status 401, error 'invalid_client'",
            COMPARE,
        ),
        (Answer(b"<html>", 502), "wrong", "cannot be tried: its token endpoint answered", LOOK),
        (answer({"error": "x"}, 503), "wrong", "answered with status 503, error 'x'", LOOK),
        (answer({}, 429), "wrong", "answered with status 429, error none", LOOK),
        (Answer(b"<html>", 400), "wrong", "answered with status 400, error none", LOOK),
        (None, "wrong", "cannot be tried: no usable answer from 127.0.0.1", LOOK),
    ],
)
async def test_client_is_tried_at_the_issuer(
    issuer: Issuer, said: Answer | None, level: str, text: str, remedy: str
) -> None:
    if said is None:
        issuer.endpoints["token_endpoint"] = "http://127.0.0.1:1/token"
    else:
        issuer.answers[TOKEN] = said
    settings = issuer.settings(
        oidc_audience="pages", oidc_client_id="pages", oidc_client_secret="secret"
    )
    finding = await look_at_issuer(settings)
    assert (finding.level, finding.remedy) == (level, remedy)
    assert text in finding.text


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("known", "level", "text"),
    [
        (True, "ok", "publishes keys, and knows the client"),
        (False, "wrong", "does not accept the client pages: status 401, error 'invalid_client'"),
    ],
)
async def test_client_with_a_key_is_tried_at_the_issuer(
    issuer: Issuer, tmp_path: Path, known: bool, level: str, text: str
) -> None:
    key = private_key(4, "EC", "P-256")
    (tmp_path / "client.pem").write_bytes(key.as_pem(private=True))  # type: ignore[union-attr]
    issuer.client_key = key if known else private_key(5, "EC", "P-256")
    settings = issuer.settings(
        oidc_audience="pages",
        oidc_client_id="pages",
        oidc_client_auth="private_key_jwt",
        oidc_client_key=tmp_path / "client.pem",
    )
    finding = await look_at_issuer(settings)
    assert (finding.level, text in finding.text) == (level, True)
