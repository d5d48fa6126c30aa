"""The addresses of Elasticsearch: which of them answer, and why the others do not."""

import asyncio
import socket
import ssl
from collections.abc import Iterator
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from edgar_search.doctor.findings import Finding, ok, wrong
from edgar_search.engine.engine import Engine
from edgar_search.errors import (
    EdgarSearchError,
    EngineRefuses,
    EngineUnavailable,
    SettingsError,
)
from edgar_search.settings import Settings
from edgar_search.settings.values import es_addresses

# Seconds to wait for an address, and for each examination of its listener.
_SECONDS = 5.0
_LOOK = 2.0
_URL = "EDGAR_SEARCH_ES_URL"
# OpenSSL's X509_V_ERR_CERT_HAS_EXPIRED and X509_V_ERR_HOSTNAME_MISMATCH.
_EXPIRED, _OTHER_NAME = 10, 62
_TAKE_OUT = f"remove it from {_URL} if others are left"


class Reached(NamedTuple):
    """The findings about the addresses, and the addresses that work."""

    findings: list[Finding]
    answering: list[str]


class _Trouble(NamedTuple):
    text: str
    remedy: str


class _Answer(NamedTuple):
    """The ids of the installation's indices at an address, or the fault of the address."""

    indices: frozenset[str] = frozenset()
    trouble: _Trouble | None = None


async def look_at_addresses(settings: Settings) -> Reached:
    """Try all addresses at once; addresses with the same fault have one finding together."""
    assert settings.es_url is not None
    addresses = es_addresses(settings.es_url)
    replies = await asyncio.gather(*(_answer(settings, address) for address in addresses))
    answers = list(_mark_other_clusters(replies))
    alike: dict[_Trouble | None, dict[int, str]] = {}
    for number, (address, answer) in enumerate(zip(addresses, answers, strict=True), 1):
        alike.setdefault(answer.trouble, {})[number] = address
    findings = [_finding(trouble, which) for trouble, which in alike.items()]
    answering = [
        address
        for address, answer in zip(addresses, answers, strict=True)
        if answer.trouble is None
    ]
    return Reached(findings, answering)


def _finding(trouble: _Trouble | None, alike: dict[int, str]) -> Finding:
    """Build the finding about some addresses, numbered and without passwords."""
    what = f"address{'es' * (len(alike) > 1)} {', '.join(map(str, alike))}"
    if trouble is None:
        return ok(what, "answers" if len(alike) == 1 else "all answer")
    hosts = ", ".join(urlsplit(address).netloc.rpartition("@")[2] for address in alike.values())
    return wrong(what, f"{hosts}: {trouble.text}", trouble.remedy)


def _mark_other_clusters(answers: list[_Answer]) -> Iterator[_Answer]:
    """Yield the answers; those from clusters other than the one with most indices are faults."""
    most = max(answers, key=lambda answer: len(answer.indices))
    for answer in answers:
        if answer.trouble is None and most.indices and not answer.indices & most.indices:
            number = answers.index(most) + 1
            text = f"another cluster: it has none of the indices that address {number} has"
            answer = _Answer(trouble=_Trouble(text, f"correct it, or remove it from {_URL}"))
        yield answer


async def _answer(settings: Settings, address: str) -> _Answer:
    timeout = min(settings.es_timeout, _SECONDS)
    alone = msgspec.structs.replace(settings, es_url=address, es_timeout=timeout)
    try:
        engine = Engine.from_settings(alone)
    except SettingsError as error:
        return _Answer(trouble=_Trouble(f"cannot be asked: {error}", "correct it"))
    try:
        path = f"/{settings.prefix}*/_settings/index.uuid?expand_wildcards=all"
        indices = await engine.administer("GET", path)
        return _Answer(frozenset(index["settings"]["index"]["uuid"] for index in indices.values()))
    except EngineRefuses:
        return await _explain_refusal(engine, settings)
    except EngineUnavailable:
        return _Answer(trouble=await _explain_silence(address, settings))
    except (EdgarSearchError, AttributeError, KeyError, TypeError):
        return _Answer(trouble=_OTHER)
    finally:
        await engine.close()


_OTHER = _Trouble(
    "something answers that is not Elasticsearch, or not at this path",
    f"write its address in {_URL} as http://HOST:PORT or https://HOST:PORT, without any path",
)


async def _explain_refusal(engine: Engine, settings: Settings) -> _Answer:
    """Tell a wrong password from a missing privilege, which other checks report."""
    try:
        user = await engine.administer("GET", "/_security/_authenticate")
    except EngineRefuses:
        how = next(
            (
                f"EDGAR_SEARCH_ES_{name}"
                for name, value in (("API_KEY", settings.es_api_key), ("USER", settings.es_user))
                if value
            ),
            None,
        )
        if how is None:
            remedy = "set EDGAR_SEARCH_ES_USER and EDGAR_SEARCH_ES_PASSWORD"
            return _Answer(trouble=_Trouble("credentials are needed, and none are set", remedy))
        text = f"the credentials of {how} are refused"
        return _Answer(trouble=_Trouble(text, "correct them; they may have been changed there"))
    except EdgarSearchError:
        return _Answer(trouble=_OTHER)
    return _Answer() if user else _Answer(trouble=_OTHER)


async def _explain_silence(address: str, settings: Settings) -> _Trouble:
    """Examine the listener at an address to find out why no answer came."""
    parts = urlsplit(address)
    host, port = parts.hostname or "", parts.port or 0
    try:
        async with asyncio.timeout(_LOOK):
            _, writer = await asyncio.open_connection(host, port)
        writer.close()
    except socket.gaierror:
        return _Trouble("no machine is known by this name", f"correct it in {_URL}")
    except ConnectionRefusedError:
        remedy = f"start Elasticsearch there, correct the port in {_URL}, or {_TAKE_OUT}"
        return _Trouble("no answer: nothing listens there", remedy)
    except (OSError, TimeoutError):
        remedy = f"check the network and its firewalls, or {_TAKE_OUT}"
        return _Trouble(f"no answer: no connection within {_LOOK:g} s", remedy)
    scheme = await _scheme(host, port)
    if scheme is None:
        text = f"no answer: it takes connections, and sends nothing within {_LOOK:g} s"
        return _Trouble(text, f"find out why it hangs and restart it, or {_TAKE_OUT}")
    if scheme != parts.scheme:
        text = f"it speaks {scheme}, not {parts.scheme}"
        return _Trouble(text, f"write it with {scheme}:// in {_URL}")
    if scheme == "https" and (refusal := await _certificate(host, port, settings)):
        return refusal
    if not await _is_elasticsearch(host, port, scheme):
        return _OTHER
    text = f"no answer about its indices within {_SECONDS:g} s"
    return _Trouble(text, "check its log: it is overloaded, or its cluster has no master")


async def _scheme(host: str, port: int) -> str | None:
    """Return the scheme that a listener speaks, `http` or `https`; None if it sends nothing."""
    if await _read_answer(host, port, _unverified_context()) is not None:
        return "https"
    return "http" if (await _read_answer(host, port, None) or b"").startswith(b"HTTP/") else None


async def _is_elasticsearch(host: str, port: int, scheme: str) -> bool:
    answer = (
        await _read_answer(host, port, _unverified_context() if scheme == "https" else None) or b""
    )
    return b"x-elastic-product" in answer.lower()


async def _read_answer(host: str, port: int, context: ssl.SSLContext | None) -> bytes | None:
    """Read the beginning of the answer to a plain request; None if no connection is made."""
    writer = None
    try:
        async with asyncio.timeout(_LOOK):
            reader, writer = await asyncio.open_connection(host, port, ssl=context)
            writer.write(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            return await reader.read(4_096)
    except (OSError, TimeoutError, EOFError):
        # The handshake succeeded, so the scheme is right although no answer came.
        return None if writer is None else b""
    finally:
        if writer is not None:
            writer.close()


def _unverified_context() -> ssl.SSLContext:
    """Create a context that verifies nothing, for requests without any secret."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


async def _certificate(host: str, port: int, settings: Settings) -> _Trouble | None:
    """Describe the fault of a certificate; None if it is accepted."""
    context = ssl.create_default_context(cafile=settings.es_ca)
    # Elasticsearch's client checks names, but not IP addresses.
    context.check_hostname = not _is_ip(host)
    try:
        async with asyncio.timeout(_LOOK):
            _, writer = await asyncio.open_connection(host, port, ssl=context)
        writer.close()
    except ssl.SSLCertVerificationError as error:
        text = f"its certificate is not accepted, {error.verify_message.rstrip('.')}"
        if error.verify_code == _OTHER_NAME:
            return _Trouble(text, f"write a name in {_URL} that its certificate has")
        if error.verify_code == _EXPIRED:
            return _Trouble(text, "renew its certificate")
        name = "EDGAR_SEARCH_ES_CA"
        return _Trouble(text, f"set {name} to the file of the authority that signed it")
    except (OSError, TimeoutError):
        return None
    return None


def _is_ip(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
