"""A certified OpenID Connect provider, in Node, as a process of its own."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.service import await_answer, ending

CHECKOUT = Path(__file__).parents[2]
FOLDER = CHECKOUT / ".edgar" / "provider"
SCRIPT = Path(__file__).with_suffix(".mjs")
CLIENT, SECRET, API = "pages", "a+b:c%d", "urn:edgar-search:api"


@contextmanager
def running_provider(port: int, service: str) -> Iterator[str]:
    """Yield the address of a provider whose client the service is; skips if it is not installed."""
    node = shutil.which("node")
    if node is None or not (FOLDER / "node_modules" / "oidc-provider").exists():
        pytest.skip("the provider is missing: `make provider` installs it, with Node and npm")
    command = [node, str(SCRIPT), str(FOLDER), str(port), service]
    issuer = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    with ending(process):
        await_answer(f"{issuer}/.well-known/openid-configuration", process)
        yield issuer
