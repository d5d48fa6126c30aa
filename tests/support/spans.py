"""The spans of a test, kept instead of being sent."""

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from edgar_search.metrics import spans


class KeptSpans:
    """All spans that have ended while a test has it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._kept = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self._kept))
        monkeypatch.setattr(spans, "_tracer", provider.get_tracer("test"))

    @property
    def all(self) -> list[ReadableSpan]:
        """In the order in which they ended."""
        return list(self._kept.get_finished_spans())

    def named(self, name: str) -> list[ReadableSpan]:
        """Return the spans of one name."""
        return [each for each in self.all if each.name == name]

    def below(self, parent: ReadableSpan) -> list[str]:
        """Return the names of those right below one, in the order in which they ended."""
        assert parent.context is not None
        return [
            each.name
            for each in self.all
            if each.parent is not None and each.parent.span_id == parent.context.span_id
        ]


def trouble(span: ReadableSpan) -> str | None:
    """Return the error that a span reports."""
    attributes = span.attributes or {}
    assert span.status.is_ok == ("error.type" not in attributes)
    return str(attributes["error.type"]) if "error.type" in attributes else None
