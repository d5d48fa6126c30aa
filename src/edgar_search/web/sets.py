"""/v1/sets/: the files that `edgar-search sets write` made, whole or in ranges of bytes."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.access.admission import CallLimits
from edgar_search.errors import EdgarSearchError, NotFound, Unavailable
from edgar_search.settings import Settings
from edgar_search.stored.sets import MANIFEST, Manifest, SetFile
from edgar_search.web.callers import identify_client_of_edgar
from edgar_search.web.calls import CallKind, V1Call, call_endpoint
from edgar_search.web.ranges import Part, asked_part, part_response
from edgar_search.web.responses import json_response
from edgar_search.web.service import service

SCOPE = "sets"
_PATH = "/v1/sets/"
_KIND = CallKind(CallLimits(counts=True), identify_client_of_edgar, tells_limits=True)
_PARQUET = "application/vnd.apache.parquet"
_PIECE = 262_144


async def sets(request: Request, call: V1Call) -> Response:
    """GET /v1/sets/{name}: the manifest, or one of its files."""
    folder, name = service(request).settings.sets_folder, request.path_params["name"]
    assert folder is not None
    manifest = await run_in_threadpool(_manifest, folder)
    if name in ("", MANIFEST):
        return json_response(manifest)
    listed = next((entry for entry in manifest.files if entry.name == name), None)
    if listed is None:
        raise NotFound(f"there is no set {name[:100]}: {_PATH} lists them")
    etag = await run_in_threadpool(_tag, folder / name, listed)
    part = asked_part(request, etag, listed.bytes)
    if request.method == "GET":
        await service(request).admission.charge_bytes(call, part.end - part.start)
    headers = {"Content-Type": _PARQUET, "Cache-Control": "private, no-cache"}

    def read(wanted: Part) -> Iterator[bytes]:
        file = (folder / name).open("rb")
        file.seek(wanted.start)
        return _pieces(file, wanted.end - wanted.start)

    return await part_response(request, etag, part, headers, read)


def _manifest(folder: Path) -> Manifest:
    try:
        return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except FileNotFoundError:
        raise NotFound("no sets are written yet: `edgar-search sets write` makes them") from None
    except (OSError, msgspec.DecodeError) as error:
        raise EdgarSearchError(f"{folder / MANIFEST}: {error}") from error


def _tag(path: Path, listed: SetFile) -> str:
    """Return a file's tag, which changes whenever the file is written again."""
    try:
        status = path.stat()
    except FileNotFoundError:
        status = None
    if status is None or status.st_size != listed.bytes:
        # A new version exists before the manifest lists it.
        raise Unavailable(f"{listed.name} is being written; try again")
    return f'"{listed.sha256[:20]}-{status.st_mtime_ns:x}"'


def _pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    with file:
        while size and (piece := file.read(min(size, _PIECE))):
            size -= len(piece)
            yield piece


def routes_of(settings: Settings) -> list[Route]:
    """Return the routes of the files, or none if no folder is set."""
    if settings.sets_folder is None:
        return []
    endpoint = call_endpoint(_KIND, SCOPE, sets)
    path = f"{_PATH}{{name:path}}"
    return [Route(route_path, endpoint) for route_path in (path, f"/efts/{{key}}{path}")]
