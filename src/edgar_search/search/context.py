"""The collaborators of every search, made once by each worker."""

from typing import NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.search.industries import Industries
from edgar_search.search.ranking import Ranking
from edgar_search.search.tickers import IndexMembers, Tickers
from edgar_search.search.warnings.known_values import KnownValues
from edgar_search.settings import Settings


class SearchContext(NamedTuple):
    """The engine, names and numbers that resolve to entities, the ranking, and cached values."""

    engine: Engine
    tickers: Tickers
    members: IndexMembers
    ranking: Ranking
    known: KnownValues
    industries: Industries

    def for_account(self, account: str) -> "SearchContext":
        """Return the same context with the account's engine."""
        return self._replace(engine=self.engine.for_account(account))

    @classmethod
    def from_settings(cls, engine: Engine, settings: Settings) -> "SearchContext":
        """Return a worker's context; raises SettingsError if the file of index members is wrong."""
        return cls(
            engine,
            Tickers(engine),
            IndexMembers.from_file(settings.index_members),
            Ranking(settings.close_matches),
            KnownValues(engine),
            Industries(engine),
        )
