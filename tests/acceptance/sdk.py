"""The official client, unchanged except for its address, in its two forms after one face."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, Protocol, cast

from secblast import AsyncSecBlastClient, SecBlastClient

Form = Literal["sync", "async"]


class Methods(Protocol):
    """Any method of the client, by its name; the asynchronous form is run to its end."""

    def __getattr__(self, name: str) -> Any: ...


class _Waiting:
    """The asynchronous client, whose methods return when they are done."""

    def __init__(self, client: AsyncSecBlastClient, runner: asyncio.Runner) -> None:
        self._client = client
        self._runner = runner

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        return lambda *given, **named: self._runner.run(method(*given, **named))


@contextmanager
def client(form: Form, url: str, key: str) -> Iterator[Methods]:
    """Yield the client of a service at `url`, for as long as the context lasts."""
    if form == "sync":
        with SecBlastClient(key) as plain:
            plain.base_url = f"{url}/v2"
            yield cast(Methods, plain)
        return
    with asyncio.Runner() as runner:
        waiting = AsyncSecBlastClient(key)
        waiting.base_url = f"{url}/v2"
        try:
            yield _Waiting(waiting, runner)
        finally:
            runner.run(waiting.close())
