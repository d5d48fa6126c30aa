"""Refusals of `edgar-search serve` before it starts any worker."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from edgar_search import cli
from edgar_search.errors import SettingsError
from edgar_search.settings.values import WORKERS_OF_A_CORE, workers
from edgar_search.web import server
from edgar_search.web.listening import refuse_unbindable
from ingest.cli import main as ingest_main


def test_members_of_indices_that_cannot_be_read_are_told_before_workers_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started: list[object] = []
    monkeypatch.setattr(server, "serve", lambda *arguments: started.append(arguments))
    missing = tmp_path / "members.csv"
    monkeypatch.setenv("EDGAR_SEARCH_ES_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("EDGAR_SEARCH_INDEX_MEMBERS", str(missing))
    assert cli.main(["serve"]) == 1
    assert capsys.readouterr().err == (
        f"edgar-search: EDGAR_SEARCH_INDEX_MEMBERS: {missing} cannot be read:"
        " No such file or directory\n"
    )
    assert started == []


def short_key() -> bytes:
    key = rsa.generate_private_key(65537, 1024)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def key_of_another_curve() -> bytes:
    key = ec.generate_private_key(ec.BrainpoolP256R1())
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


NO_KEY = (
    "must be a private key in PEM without a passphrase: RSA of 2048 bits at least, EC of P-256,"
    " P-384 or P-521, or Ed25519"
)


@pytest.mark.parametrize("command", ["serve", "doctor"])
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (None, "cannot be read: No such file or directory"),
        (lambda: b"", NO_KEY),
        (short_key, NO_KEY),
        (key_of_another_curve, NO_KEY),
    ],
    ids=["missing", "empty", "short", "of another curve"],
)
def test_key_of_the_client_that_cannot_be_used_is_named_with_its_setting(
    command: str,
    make: Callable[[], bytes] | None,
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    engine_elsewhere: None,
) -> None:
    started: list[object] = []
    monkeypatch.setattr(server, "serve", lambda *arguments: started.append(arguments))
    key = tmp_path / "client.pem"
    if make is not None:
        key.write_bytes(make())
    for name, value in {
        "HOME": tmp_path,
        "OIDC_ISSUER": "http://127.0.0.1:1",
        "OIDC_AUDIENCE": "pages",
        "OIDC_CLIENT_ID": "pages",
        "OIDC_CLIENT_AUTH": "private_key_jwt",
        "OIDC_CLIENT_KEY": key,
    }.items():
        monkeypatch.setenv(f"EDGAR_SEARCH_{name}", str(value))
    assert cli.main([command]) == 1
    said = capsys.readouterr()
    named = f"EDGAR_SEARCH_OIDC_CLIENT_KEY: {key} {reason}"
    assert (said.out + said.err).count(named) == 1
    assert started == []


ISSUED = {"OIDC_ISSUER": "https://issuer.example", "OIDC_AUDIENCE": "pages", "OIDC_USERS": "sub=a"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"OIDC_CLIENT_ID": "pages"},
            "EDGAR_SEARCH_OIDC_ISSUER and EDGAR_SEARCH_OIDC_AUDIENCE are needed if"
            " EDGAR_SEARCH_OIDC_CLIENT_ID is set",
        ),
        (
            {**ISSUED, "OIDC_CLIENT_SECRET": "s"},
            "EDGAR_SEARCH_OIDC_CLIENT_ID is needed if EDGAR_SEARCH_OIDC_CLIENT_SECRET is set",
        ),
        (
            {"PAGES": "signed-in"},
            "EDGAR_SEARCH_PAGES: signed-in needs an issuer at which users sign in; set"
            " EDGAR_SEARCH_OIDC_ISSUER, EDGAR_SEARCH_OIDC_AUDIENCE and"
            " EDGAR_SEARCH_OIDC_CLIENT_ID",
        ),
        (
            {**ISSUED, "OIDC_ISSUER": "https://a.example,https://b.example"},
            "EDGAR_SEARCH_OIDC_ISSUER: must be one address; one service has one issuer",
        ),
        (
            {**ISSUED, "OIDC_ISSUER": "https://a.example/.well-known/openid-configuration"},
            "EDGAR_SEARCH_OIDC_ISSUER: must be the issuer itself, not the address of its discovery"
            " document: https://a.example",
        ),
        (
            {"OPERATORS": "jane@example.com"},
            "EDGAR_SEARCH_OPERATORS: `jane@example.com` is an e-mail address; expected the id of an"
            " account, which the page Usage and plan shows, such as user-0a1b2c",
        ),
        (
            {**ISSUED, "OIDC_USERS": "analysts"},
            "EDGAR_SEARCH_OIDC_USERS: `analysts` is not a rule; expected a claim and its values,"
            " such as `groups=analysts; email_domain=example.com`",
        ),
        (
            {**ISSUED, "OIDC_PLANS": "groups=a:gold"},
            "EDGAR_SEARCH_OIDC_PLANS: `gold` is not a plan of EDGAR_SEARCH_PLANS",
        ),
    ],
)
def test_settings_of_sign_in_that_cannot_work_are_told_before_workers_start(
    given: dict[str, str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    engine_elsewhere: None,
) -> None:
    started: list[object] = []
    monkeypatch.setattr(server, "serve", lambda *arguments: started.append(arguments))
    # What the command sets for its workers is taken away again after the test.
    monkeypatch.setenv("EDGAR_SEARCH_PAGES", "off")
    for name, value in given.items():
        monkeypatch.setenv(f"EDGAR_SEARCH_{name}", value)
    assert cli.main(["serve"]) == 1
    assert (capsys.readouterr().err, started) == (f"edgar-search: {message}\n", [])


@pytest.mark.parametrize(
    "command", [["serve"], ["load", "submissions"], ["follow"]], ids=lambda command: command[0]
)
def test_more_workers_than_a_machine_has_use_for_are_refused(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    most = WORKERS_OF_A_CORE * (os.cpu_count() or 1)
    main = cli.main if command == ["serve"] else ingest_main
    with pytest.raises(SystemExit) as ended:
        main([*command, "--workers", str(most + 1)])
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith(
        f"argument --workers: {most + 1} is more than {most}, 16 for each core of this machine\n"
    )


def test_as_many_workers_as_a_machine_has_use_for_are_taken() -> None:
    most = WORKERS_OF_A_CORE * (os.cpu_count() or 1)
    assert workers(str(most)) == most


@pytest.mark.parametrize(("command", "hint"), [("serve", ""), ("run", " (`make run PORT={}`)")])
def test_port_at_which_another_process_listens_is_told_before_anything_starts(
    command: str,
    hint: str,
    capsys: pytest.CaptureFixture[str],
    engine_elsewhere: None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("EDGAR_SEARCH_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        assert cli.main([command, "--port", str(taken)]) == 1
    assert capsys.readouterr().err == (
        f"edgar-search: --host 127.0.0.1 --port {taken}: another process listens there;"
        f" end it or choose another --port{hint.format(taken + 1)}\n"
    )


@pytest.mark.parametrize(
    ("host", "named"),
    [
        ("192.0.2.7", "--host 192.0.2.7 --port 8000"),
        ("nowhere.invalid", "--host nowhere.invalid"),
        ("a" * 80, f"--host {'a' * 80}"),
    ],
)
def test_host_that_is_no_address_of_this_machine_is_told(
    host: str, named: str, capsys: pytest.CaptureFixture[str], engine_elsewhere: None
) -> None:
    assert cli.main(["serve", "--host", host]) == 1
    assert capsys.readouterr().err == (
        f"edgar-search: {named}: not an address of this machine; 0.0.0.0 means all of them\n"
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0", ""])
def test_host_at_which_a_server_can_listen_is_taken(host: str) -> None:
    assert not is_refused(host, 0)


def test_port_of_a_connection_that_is_not_yet_forgotten_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server_side:
        port = server_side.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            accepted, _ = server_side.accept()
            # What closes first is the side that waits.
            accepted.close()
    assert not is_refused("127.0.0.1", port)


def is_refused(host: str, port: int) -> bool:
    try:
        refuse_unbindable(host, port)
    except SettingsError:
        return True
    return False


@pytest.fixture
def engine_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address of Elasticsearch, so that none is started or looked for."""
    monkeypatch.setenv("EDGAR_SEARCH_ES_URL", "http://127.0.0.1:1")
