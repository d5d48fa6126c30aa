"""Documents as filed, out of the archive, against the files of the real corpus."""

import base64
import time
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from tests.acceptance import sdk
from tests.acceptance.service import Service
from tests.acceptance.submissions import File


@pytest.fixture(scope="module")
def client(service: Service) -> Iterator[sdk.Methods]:
    with sdk.client("sync", service.url, service.key) as client:
        yield client


@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.long)])
def test_every_document_comes_as_it_was_filed(
    service: Service, files: list[File], every: int
) -> None:
    count = 0
    for file in files[::every]:
        for document_id, body in zip(file.document_ids(), file.bodies, strict=True):
            response = service.http.get("/v2/document", params={"document_id": document_id})
            assert response.status_code == 200, document_id
            assert response.content == body, document_id
            assert response.headers["content-length"] == str(len(body))
            count += 1
    assert count > 2_000 // every


MAGIC = {
    "application/pdf": b"%PDF",
    "image/gif": b"GIF8",
    "image/jpeg": b"\xff\xd8\xff",
    "application/zip": b"PK\x03\x04",
}


def test_binary_documents_have_the_type_of_their_content(
    service: Service, files: list[File]
) -> None:
    seen = set()
    for file in files:
        for document_id, body in zip(file.document_ids(), file.bodies, strict=True):
            expected = [kind for kind, magic in MAGIC.items() if body.startswith(magic)]
            name = file.facts.get(f"document[{file.bodies.index(body)}].file", "")
            if expected and not name.endswith((".xlsx", ".xls")):
                parameters = {"document_id": document_id}
                response = service.http.head("/v2/document", params=parameters)
                assert response.headers["content-type"] == expected[0], document_id
                assert response.headers["content-length"] == str(len(body))
                seen.add(expected[0])
    assert seen >= {"application/pdf", "image/gif", "image/jpeg"}


def test_document_in_json(client: sdk.Methods, files: list[File]) -> None:
    file = next(f for f in files if f.facts.get("document[0].file", "").endswith(".htm"))
    document_id = file.document_ids()[0]
    content = client.get_document(document_id, output_format="json")
    assert content.document_id == document_id
    assert content.file_name == file.facts["document[0].file"]
    assert (content.content_type, content.size) == ("text/html", len(file.bodies[0]))
    assert content.data.encode() == file.bodies[0]


def test_binary_document_in_json_is_base64(client: sdk.Methods, files: list[File]) -> None:
    document_id, body = next(
        (document_id, body)
        for file in files
        for document_id, body in zip(file.document_ids(), file.bodies, strict=True)
        if body.startswith(b"GIF8")
    )
    content = client.get_document(document_id, output_format="json")
    assert (content.content_type, base64.b64decode(content.data)) == ("image/gif", body)


def test_xml_becomes_json(client: sdk.Methods, files: list[File]) -> None:
    file = next(f for f in files if f.facts["form"] == "4" and f.bodies[0].startswith(b"<?xml"))
    document_id = file.document_ids()[0]
    content = client.get_document(document_id, output_format="json", convert_xml_to_json=True)
    document: dict[str, Any] = content.data["ownershipDocument"]
    assert document["documentType"] == "4"
    assert document["issuer"]["issuerCik"].zfill(10) in file.ciks()
    plain = client.get_document(document_id, output_format="json")
    assert plain.data.encode() == file.bodies[0]


def test_document_that_is_known_is_not_sent_again(service: Service, files: list[File]) -> None:
    parameters = {"document_id": files[0].document_ids()[0]}
    first = service.http.get("/v2/document", params=parameters)
    etag = first.headers["etag"]
    for known in (etag, f'"other", W/{etag}', "*"):
        headers = {"If-None-Match": known}
        again = service.http.get("/v2/document", params=parameters, headers=headers)
        assert (again.status_code, again.content) == (304, b"")
        assert (again.headers["etag"], again.headers["last-modified"]) == (
            etag,
            first.headers["last-modified"],
        )
    other = service.http.get("/v2/document", params=parameters, headers={"If-None-Match": '"x"'})
    assert (other.status_code, other.content) == (200, first.content)
    parameters["output_format"] = "json"
    as_json = service.http.get("/v2/document", params=parameters, headers={"If-None-Match": etag})
    assert as_json.status_code == 200


def test_memory_stays_flat_while_the_largest_document_streams(
    service: Service, files: list[File]
) -> None:
    size, document_id = max(
        (len(body), document_id)
        for file in files
        for document_id, body in zip(file.document_ids(), file.bodies, strict=True)
    )
    worker = _worker(service)
    before = highest = worker.memory_info().rss
    with service.http.stream("GET", "/v2/document", params={"document_id": document_id}) as reply:
        received = 0
        for chunk in reply.iter_raw(65_536):
            received += len(chunk)
            highest = max(highest, worker.memory_info().rss)
            time.sleep(0.0005)
    print(f"\n{document_id}: {size} bytes, worker grew by {(highest - before) / 1e6:.1f} MB")
    assert received == size > 1_000_000
    assert highest - before < size


def _worker(service: Service) -> psutil.Process:
    port = int(service.url.rpartition(":")[2])
    return next(
        process
        for process in psutil.Process().children(recursive=True)
        if any(c.laddr.port == port for c in process.net_connections(kind="tcp") if c.laddr)
        and process.pid != psutil.Process().pid
    )
