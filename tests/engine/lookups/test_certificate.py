"""Programs in other languages, by the certificate and the proxy that docs/clients.md tells of."""

import asyncio
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec import structs

from bench.service import ending, free_port, running_service
from edgar_search.access.api_keys import ApiKeys
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from tests.support.engines import CHECKOUT
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.any_engine
CIK = "0009991801"
MADE = MadeUp(
    "0009991800-21-000001",
    (MadeUpEntity(CIK, "KILN CORP"),),
    (MadeUpDocument("Tiles.\n", "8-K", "a.htm"),),
    "8-K",
    date(2021, 3, 1),
)
LISTED = f"https://data.sec.gov/submissions/CIK{CIK}.json"
WHOLE = f"https://www.sec.gov/Archives/edgar/data/{int(CIK)}/{MADE.accession_number}.txt"
FOUND = "https://efts.sec.gov/LATEST/search-index?q=tiles"
# An address of the loopback interface that nothing else has, so that its port 443 is free.
ADDRESS = "127.0.41.9"
_NEEDED = ("haproxy", "openssl", "curl")


class Proxy(NamedTuple):
    """The folder with the certificate of the proxy's authority, and the proxy's port."""

    folder: Path
    port: int


async def new_key(settings: Settings) -> str:
    """Return a new API key."""
    engine = Engine.from_settings(settings)
    try:
        return (await ApiKeys(engine).create("test", "test"))[0]
    finally:
        await engine.close()


@pytest.fixture
def proxy(settings: Settings, tmp_path: Path) -> Iterator[Proxy]:
    """HAProxy with the documented configuration, in front of a service that wants keys."""
    if missing := [name for name in _NEEDED if shutil.which(name) is None]:
        pytest.skip(f"{', '.join(missing)} is missing: `make haproxy` installs it")
    (tmp_path / "filings").mkdir()
    load_now(settings, tmp_path / "filings", {f"{MADE.accession_number}.txt": txt(MADE)})
    key = asyncio.run(new_key(settings))
    page = (CHECKOUT / "docs" / "clients.md").read_text()
    (recipe,) = re.findall(r"^```\n(openssl req .+?)^```$", page, re.MULTILINE | re.DOTALL)
    subprocess.run(["sh", "-ec", recipe], cwd=tmp_path, capture_output=True, check=True)
    assert not list(tmp_path.glob("*.key"))

    port = 443 if os.geteuid() == 0 else free_port()
    with running_service(structs.replace(settings, mirror="keys")) as service:
        config = (CHECKOUT / "deploy" / "haproxy-edgar.cfg").read_text()
        for old, new in (
            ("127.0.0.1:443", f"{ADDRESS}:{port}"),
            ("/etc/haproxy/edgar.pem", str(tmp_path / "edgar.pem")),
            ("127.0.0.1:8000", service.url.removeprefix("http://")),
        ):
            assert config.count(old) == 1
            config = config.replace(old, new)
        (tmp_path / "haproxy.cfg").write_text(config)
        process = subprocess.Popen(
            ["haproxy", "-f", str(tmp_path / "haproxy.cfg")],
            env={"PATH": os.environ["PATH"], "EDGAR_MIRROR_KEY": key},
        )
        with ending(process):
            yield Proxy(tmp_path, port)


def test_curl_asks_for_the_secs_addresses(proxy: Proxy) -> None:
    asked = ["curl", "-sS", "--fail-with-body", "--retry", "5", "--retry-connrefused"]
    asked += ["--cacert", str(proxy.folder / "authority.crt")]
    asked += ["--connect-to", f"::{ADDRESS}:{proxy.port}"]

    def curl(url: str) -> bytes:
        return subprocess.run([*asked, url], capture_output=True, check=True, timeout=60).stdout

    assert MADE.accession_number.encode() in curl(LISTED)
    assert curl(WHOLE) == txt(MADE)
    assert b"KILN CORP" in curl(FOUND)
    # The authority vouches for no other host.
    other = subprocess.run([*asked, "https://www.example.org/"], capture_output=True, timeout=60)
    assert other.returncode == 60


def test_node_asks_for_the_secs_addresses(proxy: Proxy) -> None:
    if shutil.which("node") is None or shutil.which("unshare") is None or proxy.port != 443:
        pytest.skip("node, unshare and root are needed")
    hosts = proxy.folder / "hosts"
    hosts.write_text(f"{ADDRESS} sec.gov www.sec.gov data.sec.gov efts.sec.gov\n")
    code = "fetch(process.argv[1]).then((reply) => reply.text()).then(console.log)"
    program = f"mount --bind {shlex.quote(str(hosts))} /etc/hosts && exec node -e '{code}' {LISTED}"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", program],
        env={
            "PATH": os.environ["PATH"],
            "NODE_EXTRA_CA_CERTS": str(proxy.folder / "authority.crt"),
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"no mount namespace here: {done.stderr}")
    assert MADE.accession_number in done.stdout, done.stderr
