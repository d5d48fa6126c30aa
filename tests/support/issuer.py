"""An OpenID Connect issuer on a real socket, that a test can make rotate, fail, wait and lie."""

import base64
import hashlib
import itertools
import ssl
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from joserfc import jws, jwt
from joserfc.errors import JoseError, SecurityWarning
from joserfc.jwk import JWKRegistry, Key

from edgar_search.settings import Settings
from edgar_search.settings.issuer import ASYMMETRIC

DISCOVERY = "/.well-known/openid-configuration"
KEYS = "/keys"
AUTHORIZE, TOKEN, USER_INFO, END = "/authorize", "/token", "/me", "/end"
AUDIENCE = "edgar-search-tests"
LIFETIME = 600
AUTHORITY = "authority.test"
# A handler that waits for a test ends with it, or after this many seconds.
_WAIT = 30


class Answer(NamedTuple):
    """An answer of the issuer instead of the true one; a body of several pieces may be endless."""

    body: bytes | Iterable[bytes] = b""
    status: int = 200
    headers: dict[str, str] = {}


def answer(content: Any, status: int = 200) -> Answer:
    """Return an answer with this content as JSON."""
    return Answer(msgspec.json.encode(content), status)


@cache
def private_key(number: int, kty: str = "RSA", size: int | str = 2048) -> Key:
    """Return a private key; the same for the same number, since making one takes long."""
    return JWKRegistry.generate_key(kty, size, {"kid": f"{kty}-{size}-{number}"})


class Issuer:
    """It listens from `start` to `stop`, always on the same port of the loopback interface."""

    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), self)
        self._port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self._port}"
        self.name = self.url
        self._numbers = itertools.count(1)
        self.keys: list[Key] = [private_key(0)]
        self.clock: Callable[[], float] = time.time
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        self.headers: Mapping[str, str] = {}
        # The header and the body of the last request for a token, and what UserInfo says of whom.
        self.exchanged: tuple[Mapping[str, str], dict[str, str]] = ({}, {})
        self.user_info: dict[str, Any] = {}
        self.endpoints: dict[str, str] = {}
        # By which a client must prove itself, if there is one, and how it did.
        self.client_key: Key | None = None
        self.proof: jwt.Token | None = None
        # For how many seconds it keeps a request of a path waiting.
        self.delays: dict[str, float] = {}
        # By the code that a browser is sent back with: what was asked, and whom it is to name.
        self.codes: dict[str, tuple[dict[str, str], dict[str, Any]]] = {}
        self.open = threading.Event()
        self.open.set()
        self.start()

    def settings(self, **others: Any) -> Settings:
        """Return settings of a service that takes its tokens."""
        return Settings(**{"oidc_issuer": self.name, "oidc_audience": AUDIENCE, **others})

    def environment(self) -> dict[str, str]:
        """Return the same for a service that is a process of its own."""
        return {"EDGAR_SEARCH_OIDC_ISSUER": self.name, "EDGAR_SEARCH_OIDC_AUDIENCE": AUDIENCE}

    def token(
        self,
        sub: str = "somebody",
        *,
        key: Key | None = None,
        header: dict[str, Any] | None = None,
        **claims: Any,
    ) -> str:
        """Return a valid token, except for the claims and header parameters given.

        None leaves one out.
        """
        whole = {**self.claims(sub), **claims}
        present = {name: value for name, value in whole.items() if value is not None}
        return sign(key or self.keys[-1], header or {}, msgspec.json.encode(present))

    def claims(self, sub: str = "somebody") -> dict[str, Any]:
        """Return the claims of a valid token."""
        now = int(self.clock())
        return {
            "iss": self.name,
            "aud": AUDIENCE,
            "sub": sub,
            "iat": now,
            "exp": now + LIFETIME,
            "auth_time": now,
        }

    def agree(self, address: str, sub: str = "somebody", **claims: Any) -> str:
        """Sign someone in who was sent to this address; where the browser is sent back to."""
        asked = dict(parse_qsl(urlsplit(address).query))
        code = f"code-{next(self._numbers)}"
        self.codes[code] = asked, {"sub": sub, "nonce": asked["nonce"], **claims}
        back = urlencode({"code": code, "state": asked["state"]})
        return f"{asked['redirect_uri']}?{back}"

    def logout_token(self, **claims: Any) -> str:
        """Return a logout token for a subject or a session, with these claims.

        None leaves one out.
        """
        now = int(self.clock())
        event: dict[str, Any] = {"http://schemas.openid.net/event/backchannel-logout": {}}
        whole = {"iat": now, "exp": now + LIFETIME, "jti": "1", "events": event, **claims}
        whole["auth_time"] = None
        return self.token(**{"sub": None, "header": {"typ": "logout+jwt"}, **whole})

    def exchange(self, body: bytes, headers: Mapping[str, str]) -> Answer:
        """The answer to a code, which is good once, for the client that proves to have asked."""
        sent = dict(parse_qsl(body.decode()))
        self.exchanged = headers, sent
        if self.client_key is not None and not self._is_proved(sent.get("client_assertion", "")):
            return answer({"error": "invalid_client"}, 401)
        asked, claims = self.codes.pop(sent.get("code", ""), ({}, {}))
        digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        proof = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        same = sent.get("redirect_uri") == asked.get("redirect_uri")
        if not asked or not same or asked.get("code_challenge") != proof:
            return answer({"error": "invalid_grant"}, 400)
        token = {"access_token": "a", "token_type": "Bearer", "id_token": self.token(**claims)}
        return answer(token)

    def _is_proved(self, assertion: str) -> bool:
        """Return True if the client's key has signed this for the token endpoint (RFC 7523)."""
        assert self.client_key is not None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SecurityWarning)  # as in `signed`
                token = jwt.decode(assertion, self.client_key, algorithms=list(ASYMMETRIC))
        except (JoseError, ValueError):
            return False
        self.proof = token
        return "jti" in token.claims and token.claims.get("aud") == self.url + TOKEN

    def rotate(self) -> None:
        """Sign with a new key from now on, and publish no other."""
        self.keys = [private_key(next(self._numbers))]

    def fetches(self) -> int:
        """Return the number of requests for the keys."""
        return self.asked.count(KEYS)

    def start(self) -> None:
        """Listen; again after `stop`, on the same port."""
        if self._server.socket.fileno() == -1:
            self._server = _Server(("127.0.0.1", self._port), self)
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def use_tls(self, folder: Path) -> Path:
        """Answer by HTTPS as `localhost`; the certificate of the authority that vouches for it."""
        authority, certificate = folder / "authority.pem", folder / "certificate.pem"
        vouching, served = _certificates()
        authority.write_bytes(vouching)
        certificate.write_bytes(served)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        # Else a client that says nothing would hold up the others, and the end.
        self._server.socket = context.wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )
        self.url = self.name = f"https://localhost:{self._port}"
        return authority

    def stop(self) -> None:
        """Refuse connections."""
        self._server.shutdown()
        self._server.server_close()

    def hold(self, path: str) -> None:
        """Keep a request waiting for as long as the test wants it to."""
        self.open.wait(_WAIT)
        time.sleep(self.delays.get(path, 0.0))

    def reply(self, path: str) -> Answer:
        """Return the answer to a request."""
        self.asked.append(path)
        self.hold(path)
        if path in self.answers:
            return self.answers[path]
        if path == DISCOVERY:
            return answer(
                {
                    "issuer": self.name,
                    "jwks_uri": self.url + KEYS,
                    "scopes": ["openid"],
                    "authorization_endpoint": self.url + AUTHORIZE,
                    "token_endpoint": self.url + TOKEN,
                    **self.endpoints,
                }
            )
        if path == USER_INFO:
            return answer(self.user_info)
        if path == KEYS:
            return answer(key_list(*self.keys))
        return Answer(status=404)


def key_list(*keys: Key | dict[str, Any]) -> dict[str, Any]:
    """Return a JSON web key set with the public parts of keys, and with what else is given."""
    return {
        "keys": [key if isinstance(key, dict) else {**key.as_dict(), "use": "sig"} for key in keys]
    }


def sign(key: Key, header: dict[str, Any], payload: bytes) -> str:
    """Return a token of any payload, by this key; a header parameter that is None is left out."""
    default = {"RSA": "RS256", "EC": "ES256", "OKP": "Ed25519", "oct": "HS256"}[key.key_type]
    whole = {"alg": default, "typ": "JWT", "kid": key.kid, **header}
    present = {name: value for name, value in whole.items() if value is not None}
    with warnings.catch_warnings():
        # The library warns of EdDSA, the older name of Ed25519.
        warnings.simplefilter("ignore", SecurityWarning)
        registry = jws.JWSRegistry(algorithms=[whole["alg"]], strict_check_header=False)
        return jws.serialize_compact(present, payload, key, registry=registry)


def _certificates() -> tuple[bytes, bytes]:
    """A private authority's certificate, and a key with one for `localhost` by it, in PEM."""
    authority, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    vouching = _certificate(AUTHORITY, AUTHORITY, authority, authority)
    served = _certificate("localhost", AUTHORITY, key, authority)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return vouching.public_bytes(Encoding.PEM), private + served.public_bytes(Encoding.PEM)


def _certificate(
    name: str, by: str, key: ec.EllipticCurvePrivateKey, signing: ec.EllipticCurvePrivateKey
) -> x509.Certificate:
    """Return a certificate of this name and key; an authority's, if it is its own."""
    subject, issuer = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, n)]) for n in (name, by))
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=name == by, path_length=None), critical=True)
        .sign(signing, hashes.SHA256())
    )


@contextmanager
def running_issuer() -> Iterator[Issuer]:
    """Yield an issuer that answers."""
    issuer = Issuer()
    try:
        yield issuer
    finally:
        issuer.open.set()
        issuer.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], issuer: Issuer) -> None:
        super().__init__(address, _Handler)
        self.issuer = issuer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has seen enough is not an error."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self.server.issuer.headers = dict(self.headers)
        answered = self.server.issuer.reply(self.path)
        pieces = [answered.body] if isinstance(answered.body, bytes) else iter(answered.body)
        self.send_response(answered.status)
        for name, value in answered.headers.items():
            self.send_header(name, value)
        self.end_headers()
        for piece in pieces:
            self.wfile.write(piece)

    def do_POST(self) -> None:
        issuer = self.server.issuer
        body = self.rfile.read(int(self.headers["Content-Length"]))
        issuer.asked.append(self.path)
        issuer.hold(self.path)
        answered = issuer.answers.get(self.path) or issuer.exchange(body, dict(self.headers))
        assert isinstance(answered.body, bytes)
        self.send_response(answered.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answered.body)))
        self.end_headers()
        self.wfile.write(answered.body)

    def log_message(self, format: str, *args: Any) -> None:
        """The output belongs to the tests."""
