"""The samples, loaded as `make run` loads them."""

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.indices.indices import Indices
from ingest.loading.entities import EntityWriter
from ingest.loading.retry import Retry
from ingest.loading.session import load
from ingest.loading.tickers import load_tickers
from ingest.sources.paths import Sources
from tests.support.engines import CHECKOUT

SAMPLES = CHECKOUT / "samples"


async def install_samples(settings: Settings) -> None:
    """An installation that has the samples and nothing else."""
    engine = Engine.from_settings(settings)
    try:
        await Indices(engine, settings).set_up()
        await load_samples(engine, settings)
    finally:
        await engine.close()


async def load_samples(engine: Engine, settings: Settings) -> None:
    """All submissions of the samples, and their tickers."""
    files = [path for path in sorted(SAMPLES.iterdir()) if path.suffix in (".txt", ".nc", ".gz")]
    await load(engine, settings, Sources(files), 2)
    entities = EntityWriter(engine, settings.prefix, Retry(0))
    await load_tickers(engine, entities, [SAMPLES / "company_tickers.json"])
    # A load leaves these to be seen within the second.
    await engine.refresh("entities")
