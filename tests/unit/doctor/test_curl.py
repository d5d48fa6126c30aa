"""Commands that are printed work in the shell of who reads them, and hold no password."""

from pathlib import Path

import pytest

from edgar_search.doctor.findings import Curl
from edgar_search.settings import Settings

ONE = "https://one.example:9200"


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        (Settings(es_url=f"{ONE},https://two.example:9200"), ""),
        (Settings(es_url="https://operator:secret@one.example:9200"), " --user operator"),
        (
            Settings(es_url=ONE, es_user="operator", es_password="secret"),
            ' --user "$EDGAR_SEARCH_ES_USER:$EDGAR_SEARCH_ES_PASSWORD"',
        ),
        (
            Settings(es_url=ONE, es_user="operator", es_password_file=Path("/run/password")),
            ' --user "$EDGAR_SEARCH_ES_USER:$(cat "$EDGAR_SEARCH_ES_PASSWORD_FILE")"',
        ),
        (
            Settings(es_url=ONE, es_api_key="secret"),
            ' -H "Authorization: ApiKey $EDGAR_SEARCH_ES_API_KEY"',
        ),
        (Settings(es_url=ONE, es_ca=Path("/etc/own ca.crt")), " --cacert '/etc/own ca.crt'"),
    ],
)
def test_command_asks_the_first_address_as_the_settings_do(
    settings: Settings, options: str
) -> None:
    command = Curl(settings).command("POST", "/edgar-usage.all.v1/_open")
    assert command == f"`curl -sS{options} -X POST {ONE}/edgar-usage.all.v1/_open`"


def test_body_is_json_for_a_shell() -> None:
    command = Curl(Settings(es_url=ONE)).command("PUT", "/_all?a=b", {"it's": None})
    assert command == (
        f"`curl -sS -X PUT '{ONE}/_all?a=b' -H 'Content-Type: application/json'"
        """ -d '{"it'"'"'s":null}'`"""
    )
