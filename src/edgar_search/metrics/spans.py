"""Spans for OpenTelemetry, if its packages are installed, otherwise nothing happens.

This is the one door to it; its own environment (`OTEL_...`) configures it. No attribute has a
query, a key, or the text of an error, which may quote either.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any, Literal

from edgar_search.errors import SettingsError
from edgar_search.settings.extras import install_command

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
# Exporters with another name in the environment than their package has.
_NAMES = {"otlp": "otlp_proto_http"}
_LAST_MILLISECONDS = 2_000
# The tracer looks for an exporter when the first span begins, which may be set up after this line.
_tracer = trace.get_tracer("edgar-search") if INSTALLED else None


class Span:
    """A piece of work under way; without an exporter its methods do nothing."""

    __slots__ = ("_span",)

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def note(self, attributes: Mapping[str, Value]) -> None:
        """Add attributes, named by OpenTelemetry's conventions."""
        if self._span is not None:
            self._span.set_attributes(attributes)

    def rename(self, name: str) -> None:
        """Give it another name, which may be known only at its end."""
        if self._span is not None:
            self._span.update_name(name)

    def fail(self, reason: str) -> None:
        """Mark it as failed; `reason` is a status or the name of an error's class."""
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
    """Record the work inside as a span, below the current span or the one that `headers` name."""
    return _record(name, attributes, kind, headers) if _is_recording() else _NO_SPAN


def _is_recording() -> bool:
    """Return True if spans may be exported; the packages alone do not export them."""
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
    """Find the class of the exporter that OTEL_TRACES_EXPORTER names; None if it names none.

    Raises SettingsError if it is not installed.
    """
    named = os.environ.get(_EXPORTERS, "").strip()
    if named in _NONE:
        return None
    if not INSTALLED or find_spec("opentelemetry.sdk") is None:
        raise SettingsError(f"{_EXPORTERS}: run `{install_command('otel')}` first")
    found = entry_points(group="opentelemetry_traces_exporter", name=_NAMES.get(named, named))
    if not found:
        raise SettingsError(f"{_EXPORTERS}: no exporter with the name `{named}` is installed")
    made: Callable[[], Any] = next(iter(found)).load()
    return made


def export_spans() -> None:
    """Send the spans of this process by that exporter, unless they are sent already.

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
    """Send the spans that wait, for two seconds at most; a signal would end the process before."""
    flush = getattr(trace.get_tracer_provider(), "force_flush", None) if INSTALLED else None
    if flush is not None:
        flush(_LAST_MILLISECONDS)
