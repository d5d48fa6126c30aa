"""An imitation of S3 on a loopback port, with a log of what was asked of it.

It knows the requests that the archive makes, with answers as Amazon's documentation of the REST API
has them, and checks no signature. `moto`'s server gives the same answers to the same tests.
"""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

import pytest

BUCKET = "filings"
# Not `example`: what must not occur in any text.
SECRET = "not-to-be-told"


class Asked(NamedTuple):
    """A request: its method, its object, the `Range` it requested, the bytes of the answer."""

    method: str
    key: str
    range: str | None
    sent: int


class S3(ThreadingHTTPServer):
    """The server; `objects` has content and time of each key, `refuses` makes it answer 403.

    `leads_to` is an address to which it redirects everything. `uploads` has the parts of uploads
    that have begun and not ended.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects: dict[str, tuple[bytes, datetime]] = {}
        self.uploads: dict[str, dict[int, bytes]] = {}
        self.log: list[Asked] = []
        self.refuses = False
        self.leads_to: str | None = None
        self.lock = threading.Lock()


class _Handler(BaseHTTPRequestHandler):
    server: S3
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._dispatch()

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD

    def _dispatch(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        bucket, _, key = unquote(parts.path).lstrip("/").partition("/")
        query = {name: each[0] for name, each in parse_qs(parts.query, True).items()}
        with self.server.lock:
            status, answer, headers = self._answer(bucket, key, query, body)
            sent = 0 if self.command == "HEAD" else len(answer)
            asked = Asked(self.command, key, self.headers.get("Range"), sent)
            self.server.log.append(asked)
        self.send_response(status)
        for name, value in {"Content-Length": str(len(answer)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if sent:
            self.wfile.write(answer)

    def _answer(
        self, bucket: str, key: str, query: dict[str, str], body: bytes
    ) -> tuple[int, bytes, dict[str, str]]:
        if self.server.leads_to is not None:
            return 307, b"", {"Location": self.server.leads_to}
        objects = self.server.objects
        if self.server.refuses:
            return _fault(403, "AccessDenied")
        if bucket != BUCKET:
            return _fault(404, "NoSuchBucket")
        if "uploads" in query or "uploadId" in query:
            return self._part(key, query, body)
        if self.command == "POST":
            keys = re.findall("<Key>(.*?)</Key>", body.decode())
            for found in keys:
                objects.pop(found, None)
            gone = "".join(f"<Deleted><Key>{found}</Key></Deleted>" for found in keys)
            return 200, f"<DeleteResult>{gone}</DeleteResult>".encode(), {}
        if not key:
            return 200, _listed(objects, query), {}
        if self.command == "PUT":
            if key in objects and self.headers.get("If-None-Match") == "*":
                return _fault(412, "PreconditionFailed")
            objects[key] = (body, datetime.now(UTC))
            return 200, b"", {"ETag": '"1"'}
        if key not in objects:
            return _fault(404, "NoSuchKey")
        return self._object(*objects[key])

    def _part(
        self, key: str, query: dict[str, str], body: bytes
    ) -> tuple[int, bytes, dict[str, str]]:
        """Begin an upload in parts, take a part, or end it with all or nothing."""
        uploads = self.server.uploads
        if self.command == "POST" and "uploads" in query:
            number = f"upload-{len(uploads)}-{key}"
            uploads[number] = {}
            answer = f"<UploadId>{number}</UploadId>"
            return (
                200,
                f"<InitiateMultipartUploadResult>{answer}</InitiateMultipartUploadResult>".encode(),
                {},
            )
        if self.command == "PUT":
            uploads[query["uploadId"]][int(query["partNumber"])] = body
            return 200, b"", {"ETag": '"1"'}
        parts = uploads.pop(query["uploadId"])
        if self.command == "POST":
            whole = b"".join(parts[number] for number in sorted(parts))
            self.server.objects[key] = (whole, datetime.now(UTC))
        answer = "<ETag>1</ETag>"
        return (
            200,
            f"<CompleteMultipartUploadResult>{answer}</CompleteMultipartUploadResult>".encode(),
            {},
        )

    def _object(self, content: bytes, at: datetime) -> tuple[int, bytes, dict[str, str]]:
        headers = {"ETag": '"1"', "Last-Modified": at.strftime("%a, %d %b %Y %H:%M:%S GMT")}
        asked = re.fullmatch(r"bytes=([0-9]+)-([0-9]+)", self.headers.get("Range") or "")
        if asked is None:
            return 200, content, headers
        first, last = int(asked.group(1)), min(int(asked.group(2)), len(content) - 1)
        if first > last:
            return _fault(416, "InvalidRange")
        headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
        return 206, content[first : last + 1], headers


def _fault(status: int, code: str) -> tuple[int, bytes, dict[str, str]]:
    return status, f"<Error><Code>{code}</Code></Error>".encode(), {}


def _listed(objects: dict[str, tuple[bytes, datetime]], query: dict[str, str]) -> bytes:
    after, prefix = query.get("start-after", ""), query.get("prefix", "")
    found = "".join(
        f"<Contents><Key>{escape(key)}</Key><Size>{len(content)}</Size><ETag>1</ETag>"
        f"<LastModified>{at.isoformat().replace('+00:00', 'Z')}</LastModified></Contents>"
        for key, (content, at) in sorted(objects.items())
        if key.startswith(prefix) and key > after
    )
    more = "<IsTruncated>false</IsTruncated>"
    return f"<ListBucketResult>{more}{found}</ListBucketResult>".encode()


@contextmanager
def running_s3() -> Iterator[S3]:
    """Yield the imitation, and the library's variables that lead to it."""
    server = S3()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        with pytest.MonkeyPatch.context() as patch:
            lead_to(patch, f"http://127.0.0.1:{server.server_port}")
            yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def lead_to(patch: pytest.MonkeyPatch, endpoint: str) -> None:
    """Set the library's variables for a server at `endpoint`."""
    patch.setenv("AWS_ENDPOINT_URL", endpoint)
    patch.setenv("AWS_ALLOW_HTTP", "true")
    patch.setenv("AWS_REGION", "us-east-1")
    patch.setenv("AWS_ACCESS_KEY_ID", "AKIDMADEUP")
    patch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
