"""An Elasticsearch of its own with security, and the roles that docs/operations.md has."""

import base64
import hashlib
import json
import re
import secrets
import shutil
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from edgar_search.engine.embedded import folders, install, process
from edgar_search.engine.embedded.folders import EngineFolders
from edgar_search.settings import Settings
from tests.support.engines import CHECKOUT, FRUGAL, embedded_settings, new_home

START_SECONDS = 240.0  # on two busy cores
ADMINISTRATOR = "administrator"
_ROLES = re.compile(r"```yaml\n(edgar_service:.+?)```", re.DOTALL)
_ITERATIONS = 10_000


class Secured:
    """An engine that asks who it is; a user for each documented role has the role's name."""

    def __init__(self, url: str, passwords: dict[str, str], where: EngineFolders) -> None:
        self.url = url
        self._passwords = passwords
        self.snapshots = where.snapshots

    def settings(self, user: str, home: Path) -> Settings:
        """Return settings by which a user of this name comes, with the prefix of the roles."""
        return Settings(
            es_url=self.url,
            es_user=user,
            es_password=self._passwords[user],
            home=home,
            alerts=False,
            drain=0.0,
            es_timeout=30.0,
        )

    def ask(self, user: str, method: str, path: str, body: Any = None) -> Any:
        """Return the answer to a request of this user; raises urllib.error.HTTPError."""
        told = base64.b64encode(f"{user}:{self._passwords[user]}".encode()).decode()
        headers = {"Authorization": f"Basic {told}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.load(reply)


def documented_roles() -> str:
    """Return the roles of docs/operations.md, in the form of `roles.yml`."""
    (text,) = _ROLES.findall((CHECKOUT / "docs" / "operations.md").read_text())
    return str(text)


@contextmanager
def secured_engine(heap: str = "1g") -> Iterator[Secured]:
    """Yield an engine with security that is started for this and removed after it."""
    home = new_home()
    own = msgspec.structs.replace(embedded_settings(), home=home)
    engine = install.choose(own)
    folders.control_folder(own).mkdir(parents=True)
    where = folders.prepare(own)
    folder = install.find_or_unpack(engine.version, own, where, print)
    runtime = install.reachable_copy(engine.java, where, print)
    port = process.choose_port(own, None, where)
    process.write(folder, where, port, engine.modules)
    passwords = _secure(where)
    secured = Secured(f"http://127.0.0.1:{port}", passwords, where)
    try:
        process.start(folder, runtime, where, f"-Xms{heap} -Xmx{heap} {FRUGAL}")
        _await(secured, where)
        yield secured
    finally:
        process.signal_all(process.all_of(where), kill=True)
        while not process.has_ended(where):
            pass  # it looks for 0.2 seconds
        shutil.rmtree(where.folder, ignore_errors=True)  # may be outside the home
        shutil.rmtree(home, ignore_errors=True)


def _secure(where: EngineFolders) -> dict[str, str]:
    """Switch security on, with files for roles and users; each user's password."""
    main = where.config / "elasticsearch.yml"
    text = main.read_text().replace("xpack.security.enabled: false", "xpack.security.enabled: true")
    roles = documented_roles()
    names = re.findall(r"^(\w+):", roles, re.MULTILINE)
    members = {ADMINISTRATOR: "superuser"} | {name: name for name in names}
    passwords = {user: secrets.token_hex(12) for user in members}
    main.write_text(f"{text}xpack.security.autoconfiguration.enabled: false\n")
    (where.config / "roles.yml").write_text(roles)
    (where.config / "users").write_text(
        "".join(f"{user}:{_hash(password)}\n" for user, password in passwords.items())
    )
    (where.config / "users_roles").write_text(
        "".join(f"{role}:{user}\n" for user, role in members.items())
    )
    for name in ("roles.yml", "users", "users_roles"):
        folders.give(where.config / name, where.account)
    return passwords


def _hash(password: str) -> str:
    """Return a password as a file of users has it."""
    salt = secrets.token_bytes(32)
    made = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ITERATIONS, 32)
    parts = (base64.b64encode(each).decode() for each in (salt, made))
    return f"{{PBKDF2}}{_ITERATIONS}$" + "$".join(parts)


def _await(secured: Secured, where: EngineFolders) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and not process.has_ended(where):
        try:
            path = "/_cluster/health?wait_for_status=yellow&timeout=5s"
            if not secured.ask(ADMINISTRATOR, "GET", path)["timed_out"]:
                return
        except OSError:
            time.sleep(0.5)
    raise AssertionError(f"the engine does not answer: {where.log.read_text()[-2_000:]}")
