"""Spans for OpenTelemetry, if its packages are installed; elsewhere nothing happens.

The one door to it, which its own environment (`OTEL_...`) sets. No attribute has a query, a key, or
text of an error, which may quote either.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any, Literal

from edgar_search.errors import SettingsError
from edgar_search.extras import install_command

try:
    from opentelemetry import propagate, trace
except ImportError:
    INSTALLED = False
else:
    INSTALLED = True

Value = str | int | float
SpanKind = Literal["internal", "server", "client"]

_EXPORTERS = "OTEL_TRACES_EXPORTER"
_NONE = ("", "none")
# What the environment calls otherwise than the package that has it.
_NAMES = {"otlp": "otlp_proto_http"}
_LAST_MILLISECONDS = 2_000
# Asked for when the first span begins: whoever exports them may be set up later than this is read.
_tracer = trace.get_tracer("edgar-search") if INSTALLED else None


class Span:
    """A piece of work that is under way; one of which nobody is told does nothing."""

    __slots__ = ("_span",)

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def note(self, attributes: Mapping[str, Value]) -> None:
        """Add what has become known of it; names are those of OpenTelemetry's conventions."""
        if self._span is not None:
            self._span.set_attributes(attributes)

    def rename(self, name: str) -> None:
        """Give it the name that only its end shows."""
        if self._span is not None:
            self._span.update_name(name)

    def fail(self, reason: str) -> None:
        """It ends badly; `reason` is a status or the name of an error's class."""
        if self._span is not None:
            self._span.set_attribute("error.type", reason)
            self._span.set_status(trace.StatusCode.ERROR)


_NO_SPAN = nullcontext(Span())


def span(
    name: str,
    attributes: Mapping[str, Value] | None = None,
    *,
    kind: SpanKind = "internal",
    headers: Mapping[str, str] | None = None,
) -> AbstractContextManager[Span]:
    """What is done inside is one span, below the one around it, or the one that `headers` name."""
    return _record(name, attributes, kind, headers) if _is_recording() else _NO_SPAN


def _is_recording() -> bool:
    """Say whether anybody may be told of spans; with its packages alone nobody is."""
    if _tracer is None:
        return False
    if not isinstance(_tracer, trace.ProxyTracer):
        return True
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


@contextmanager
def _record(
    name: str,
    attributes: Mapping[str, Value] | None,
    kind: SpanKind,
    headers: Mapping[str, str] | None,
) -> Iterator[Span]:
    assert _tracer is not None
    with _tracer.start_as_current_span(
        name,
        context=propagate.extract(headers) if headers else None,
        kind=trace.SpanKind[kind.upper()],
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as begun:
        made = Span(begun)
        try:
            yield made
        except BaseException as error:
            made.fail(type(error).__name__)
            raise


def exporter() -> Callable[[], Any] | None:
    """What makes the exporter that OTEL_TRACES_EXPORTER names; None if it names none.

    Raises SettingsError if it is not installed.
    """
    named = os.environ.get(_EXPORTERS, "").strip()
    if named in _NONE:
        return None
    if not INSTALLED or find_spec("opentelemetry.sdk") is None:
        raise SettingsError(f"{_EXPORTERS}: run `{install_command('otel')}` first")
    found = entry_points(group="opentelemetry_traces_exporter", name=_NAMES.get(named, named))
    if not found:
        raise SettingsError(f"{_EXPORTERS}: no exporter is installed that is called {named}")
    made: Callable[[], Any] = next(iter(found)).load()
    return made


def export_spans() -> None:
    """Send the spans of this process by that exporter, unless something sends them already.

    Raises as `exporter`.
    """
    make = exporter()
    if make is None:
        return
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(make()))
    trace.set_tracer_provider(provider)


def send_rest() -> None:
    """Send what waits to be sent, for two seconds at most: a signal ends a process without it."""
    flush = getattr(trace.get_tracer_provider(), "force_flush", None) if INSTALLED else None
    if flush is not None:
        flush(_LAST_MILLISECONDS)
