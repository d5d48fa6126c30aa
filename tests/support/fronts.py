"""Stand-ins for Elasticsearch: TLS in front of it, a guard, or something else.

Each listens on a port of 127.0.0.1 of its own, in a thread, till it is closed.
"""

import base64
import datetime
import ipaddress
import json
import socket
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_ELASTIC = {"X-Elastic-Product": "Elasticsearch", "Content-Type": "application/json"}


class _Handler(BaseHTTPRequestHandler):
    """Answers as the server says; keeps quiet."""

    protocol_version = "HTTP/1.1"
    server: "_Server"

    def _any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, headers, reply = self.server.answer(self, body)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _any

    def log_message(self, format: str, *arguments: object) -> None:
        pass


Reply = tuple[int, dict[str, str], bytes]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    answer: Callable[[BaseHTTPRequestHandler, bytes], Reply]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet of clients that come otherwise than they should: they are the test."""


@contextmanager
def _serving(
    answer: Callable[[BaseHTTPRequestHandler, bytes], Reply], context: ssl.SSLContext | None = None
) -> Iterator[int]:
    server = _Server(("127.0.0.1", 0), _Handler)
    server.answer = answer
    if context is not None:
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def _forward(url: str) -> Callable[[BaseHTTPRequestHandler, bytes], Reply]:
    def answer(request: BaseHTTPRequestHandler, body: bytes) -> Reply:
        headers = {
            name: request.headers[name]
            for name in ("Accept", "Content-Type")
            if name in request.headers
        }
        asked = urllib.request.Request(
            url + request.path, body or None, headers, method=request.command
        )
        try:
            with urllib.request.urlopen(asked, timeout=30) as reply:
                return reply.status, _ELASTIC, reply.read()
        except urllib.error.HTTPError as error:
            return error.code, _ELASTIC, error.read()

    return answer


@contextmanager
def tls_front(url: str, certificate: Path) -> Iterator[int]:
    """Elasticsearch behind TLS with a certificate of `write_certificate`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with _serving(_forward(url), context) as port:
        yield port


@contextmanager
def guarded_front(url: str, user: str, password: str) -> Iterator[int]:
    """Elasticsearch that lets in one user."""
    right = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
    forwarded = _forward(url)
    refusal = {"error": {"type": "security_exception", "reason": "no"}, "status": 401}

    def answer(request: BaseHTTPRequestHandler, body: bytes) -> Reply:
        if request.headers.get("Authorization") != right:
            return 401, _ELASTIC, json.dumps(refusal).encode()
        return forwarded(request, body)

    with _serving(answer) as port:
        yield port


@contextmanager
def stalling_front(url: str, answered: str) -> Iterator[int]:
    """Elasticsearch that answers to one path only, and takes everything else for ever."""
    forwarded, closed = _forward(url), threading.Event()

    def answer(request: BaseHTTPRequestHandler, body: bytes) -> Reply:
        if answered not in request.path:
            closed.wait()
        return forwarded(request, body)

    with _serving(answer) as port:
        try:
            yield port
        finally:
            closed.set()


@contextmanager
def another_cluster() -> Iterator[int]:
    """Yield an Elasticsearch without a single index."""
    with _serving(lambda request, body: (200, _ELASTIC, b"{}")) as port:
        yield port


@contextmanager
def another_server() -> Iterator[int]:
    """Yield a web server other than Elasticsearch."""
    with _serving(lambda request, body: (200, {"Content-Type": "text/html"}, b"<p>Hi")) as port:
        yield port


@contextmanager
def silent() -> Iterator[int]:
    """Yield a port that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def write_certificate(path: Path, *names: str) -> Path:
    """A certificate for these names and addresses, signed by itself, with its key in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "made up for a test")])
    now = datetime.datetime.now(datetime.UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([_name(name) for name in names]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path.write_bytes(secret + built.public_bytes(serialization.Encoding.PEM))
    return path


def _name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)
