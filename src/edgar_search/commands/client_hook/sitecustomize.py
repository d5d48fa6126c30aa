"""Sends a Python program's requests for the SEC to an installation of edgar-search instead.

Python imports this module if its folder is on PYTHONPATH: `edgar-search clients env` prints what to
export. EDGAR_MIRROR_URL is the installation's address, and EDGAR_MIRROR_KEY a key, if it needs one.
The libraries requests, httpx, aiohttp and urllib are patched.
"""

import importlib.util
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit, urlunsplit

_URL = os.environ.get("EDGAR_MIRROR_URL", "").rstrip("/")
_KEY = os.environ.get("EDGAR_MIRROR_KEY", "")
_HOSTS = ("www.sec.gov", "sec.gov", "data.sec.gov", "efts.sec.gov")


def moved(url: object) -> str | None:
    """Return the address at the installation for an address of the SEC; None for any other."""
    parts = urlsplit(str(url))
    if not _URL or parts.scheme not in ("http", "https") or parts.hostname not in _HOSTS:
        return None
    base = urlsplit(_URL)
    path = base.path + parts.path
    return urlunsplit((base.scheme, base.netloc, path, parts.query, parts.fragment))


def _add_key(headers: Any) -> dict[str, str]:
    """Return the headers with the key, and without a host that the program has set."""
    kept = {name: value for name, value in dict(headers or {}).items() if name.lower() != "host"}
    return {**kept, "X-API-Key": _KEY} if _KEY else kept


def _patch_requests(module: Any) -> None:
    send = module.Session.send

    def moved_send(self: Any, request: Any, **options: Any) -> Any:
        target = moved(request.url)
        if target:
            request.url = target
            request.headers.pop("Host", None)
            if _KEY:
                request.headers["X-API-Key"] = _KEY
        return send(self, request, **options)

    module.Session.send = moved_send


def _patch_httpx(module: Any) -> None:
    def patched(build: Callable[..., Any]) -> Callable[..., Any]:
        def moved_build(self: Any, method: str, url: Any, **options: Any) -> Any:
            target = moved(self._merge_url(url))
            if target is None:
                return build(self, method, url, **options)
            options["headers"] = _add_key(options.get("headers"))
            request = build(self, method, target, **options)
            request.headers["Host"] = urlsplit(target).netloc
            return request

        return moved_build

    for client in (module.Client, module.AsyncClient):
        client.build_request = patched(client.build_request)


def _patch_aiohttp(module: Any) -> None:
    original = module.ClientSession._request

    async def moved_ask(self: Any, method: str, url: Any, **options: Any) -> Any:
        target = moved(url)
        if target:
            options["headers"] = _add_key(options.get("headers"))
            url = target
        return await original(self, method, url, **options)

    module.ClientSession._request = moved_ask


def _patch_urllib(module: Any) -> None:
    opened = module.OpenerDirector.open

    def moved_open(self: Any, fullurl: Any, data: Any = None, *given: Any, **options: Any) -> Any:
        url = fullurl if isinstance(fullurl, str) else fullurl.full_url
        target = moved(url)
        if target:
            request = module.Request(url) if isinstance(fullurl, str) else fullurl
            request.full_url = target
            request.remove_header("Host")
            if _KEY:
                request.add_header("X-API-Key", _KEY)
            fullurl = request
        return opened(self, fullurl, data, *given, **options)

    module.OpenerDirector.open = moved_open


_PATCHES: Mapping[str, Callable[[Any], None]] = {
    "requests.sessions": _patch_requests,
    "httpx": _patch_httpx,
    "aiohttp.client": _patch_aiohttp,
    "urllib.request": _patch_urllib,
}


class _Patching(Loader):
    """Loads a module with its own loader, then patches it."""

    def __init__(self, loader: Loader, patch: Callable[[Any], None]) -> None:
        self._loader, self._patch = loader, patch

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._patch(module)


class _Finder(MetaPathFinder):
    """Finds the modules to patch, each once."""

    def __init__(self) -> None:
        self._left = dict(_PATCHES)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        patch = self._left.pop(name, None)
        spec = importlib.util.find_spec(name) if patch else None
        if patch is None or spec is None or spec.loader is None:
            return None
        patching_spec = ModuleSpec(name, _Patching(spec.loader, patch), origin=spec.origin)
        patching_spec.submodule_search_locations = spec.submodule_search_locations
        patching_spec.has_location = spec.has_location
        return patching_spec


def _import_next() -> None:
    """Import the sitecustomize that this module hides, if the environment has one."""
    own_folder = os.path.dirname(os.path.abspath(__file__))
    others = [folder for folder in sys.path if os.path.abspath(folder or ".") != own_folder]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if _URL:
    sys.meta_path.insert(0, _Finder())
    for _name, _patch in _PATCHES.items():
        if _name in sys.modules:
            _patch(sys.modules[_name])
_import_next()
