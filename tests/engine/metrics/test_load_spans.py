"""The stages of a load as spans."""

from collections.abc import Callable

import pytest

from tests.support.loading import Loads
from tests.support.spans import KeptSpans
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
ENTITY = MadeUpEntity("0009990142", "DUNLIN")
WORD = "sandpipers"


async def test_load_has_a_span_for_each_stage(
    loads: Loads, new_number: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = KeptSpans(monkeypatch)
    filings = [MadeUp(new_number(), (ENTITY,), (MadeUpDocument(f"{WORD}.\n"),)) for _ in range(2)]
    await loads({f"{filing.accession_number}.txt": txt(filing) for filing in filings})
    (whole,) = kept.named("load")
    assert dict(whole.attributes or {}) == {"edgar_search.files": 2, "edgar_search.loaded": 2}
    stages = [name for name in kept.below(whole) if name.startswith("load.")]
    assert stages == ["load.prepare", "load.prepare", "load.batch", "load.make_searchable"]
    (batch,) = kept.named("load.batch")
    assert [name for name in kept.below(batch) if name.startswith("load.")] == [
        "load.claim",
        "load.passages",
        "load.documents",
        "load.filings",
        "load.entities",
        "load.remove",
        "load.announce",
        "load.settle",
    ]
    (passages,) = kept.named("load.passages")
    assert kept.below(passages) == ["_bulk other"]
    said = "".join(each.to_json() for each in kept.all)
    assert not [each for each in (WORD, *(f.accession_number for f in filings)) if each in said]
