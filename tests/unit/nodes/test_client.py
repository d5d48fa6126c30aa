"""Settings that make a client of Elasticsearch, and settings that do not."""

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from edgar_search.engine.client import BytesSerializer, make_client
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings

pytestmark = pytest.mark.anyio


def test_address_is_needed() -> None:
    with pytest.raises(SettingsError, match="^EDGAR_SEARCH_ES_URL is needed here$"):
        make_client(Settings())


class Body(bytes):
    """A body that notes if it was decoded."""

    decoded = False

    def decode(self, *args: str) -> str:
        self.decoded = True
        return super().decode(*args)


@pytest.mark.parametrize("level", [logging.INFO, logging.DEBUG])
async def test_bodies_are_decoded_for_the_log_of_the_client_only_if_it_is_written(
    level: int, caplog: pytest.LogCaptureFixture
) -> None:
    client = make_client(Settings(es_url="http://127.0.0.1:9"))
    (node,) = client.transport.node_pool.all()
    body = Body(b"a body")
    with caplog.at_level(level, "elastic_transport.node"):
        node._log_request(method="POST", target="/_bulk", headers=None, body=body)
    await client.close()
    assert body.decoded == (level == logging.DEBUG) == ("a body" in caplog.text)


def test_two_credentials_exclude_each_other() -> None:
    settings = Settings(es_url="http://127.0.0.1:9", es_api_key="a", es_user="b")
    with pytest.raises(
        SettingsError, match="^set EDGAR_SEARCH_ES_API_KEY or EDGAR_SEARCH_ES_USER, not both"
    ):
        make_client(settings)


def test_password_without_a_user_is_refused() -> None:
    settings = Settings(es_url="http://127.0.0.1:9", es_password="secret")
    with pytest.raises(
        SettingsError, match="^EDGAR_SEARCH_ES_USER is needed if EDGAR_SEARCH_ES_PASSWORD"
    ) as caught:
        make_client(settings)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing.pem", "cannot be read: No such file or directory"),
        (".", "cannot be read: Is a directory"),
        ("notes.pem", "is not a certificate in PEM"),
    ],
)
def test_authority_that_cannot_be_used_is_refused_by_name(
    name: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "notes.pem").write_text("no certificate")
    settings = Settings(es_url="https://127.0.0.1:9", es_ca=tmp_path / name)
    with pytest.raises(SettingsError) as caught:
        make_client(settings)
    assert str(caught.value) == f"EDGAR_SEARCH_ES_CA: {tmp_path / name} {reason}"


def test_authority_without_tls_is_refused(tmp_path: Path) -> None:
    settings = Settings(es_url="http://127.0.0.1:9", es_ca=tmp_path / "ca.pem")
    with pytest.raises(SettingsError, match="^EDGAR_SEARCH_ES_CA is for addresses "):
        make_client(settings)


def test_bytes_are_sent_and_taken_as_they_are() -> None:
    serializer = BytesSerializer()
    assert serializer.dumps(b'{"a":1}\n') == b'{"a":1}\n'
    assert serializer.loads(b"{") == b"{"


def test_anything_else_is_sent_as_json() -> None:
    assert BytesSerializer().dumps({"a": [1, "é"]}) == '{"a":[1,"é"]}'.encode()


def test_what_the_client_could_use_is_not_imported_with_it_and_can_be_later() -> None:
    program = (
        "import sys, edgar_search.engine.client\n"
        "assert not {'pyarrow', 'httpx', 'requests'} & sys.modules.keys()\n"
        "import pyarrow, httpx, requests"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
