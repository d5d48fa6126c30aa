"""Two months by imitations of EDGAR's daily archives, with cuts and kills: complete by `check`."""

import random
import time
from datetime import date, timedelta

import msgspec
import pytest

from edgar_search.settings import Settings
from tests.support.daily_archives import archive, archive_path, put_archives
from tests.support.edgar_site import EdgarSite
from tests.support.fetching import Command
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.long, pytest.mark.any_engine]
FIRST, LAST = date(2021, 2, 1), date(2021, 4, 4)
DAYS = [FIRST + timedelta(days=n) for n in range((LAST - FIRST).days + 1)]
BETWEEN = ("--from", str(FIRST), "--to", str(LAST))
FAULTS = (["cut"], ["cut", "cut", "503"], ["503", "cut"], ["429"], ["drip"])


class Months:
    """EDGAR's files of each day: archives that lack filings, are damaged, or are not there."""

    def __init__(self, site: EdgarSite) -> None:
        chance = random.Random(18)
        self._chance = chance
        self.filings = {day: self._filings(day) for day in DAYS}
        for each in (filing for filings in self.filings.values() for filing in filings):
            site.add(txt(each))
        self.absent = set(chance.sample(DAYS, 3))
        self.damaged = set(chance.sample([d for d in DAYS if d not in self.absent], 3))
        put_archives(site, {d: self._archive(d) for d in DAYS if d not in self.absent})
        for day in chance.sample(DAYS, 30):
            site.faults[archive_path(day)] = list(chance.choice(FAULTS))

    @property
    def count(self) -> int:
        return sum(map(len, self.filings.values()))

    def _filings(self, day: date) -> list[MadeUp]:
        entity = MadeUpEntity("0009990184", "MARBLE")
        numbers = [f"0009990184-{day:%y}-{day:%m%d}{n:02d}" for n in range(self._count())]
        return [
            MadeUp(number, (entity,), (MadeUpDocument(self._text()),), filing_date=day)
            for number in numbers
        ]

    def _count(self) -> int:
        # Days below and above the number from which on an archive is taken.
        return self._chance.randint(12, 31)

    def _text(self) -> str:
        # Nothing that packs well: a cut must leave something to continue with.
        return " ".join(f"{self._chance.getrandbits(64):x}" for _ in range(1_500))

    def _archive(self, day: date) -> bytes:
        filings = self.filings[day]
        lacking = self._chance.choice((0, 0, 0, 1, 2))
        packed = archive(filings[lacking:])
        return packed[: len(packed) // 2] if day in self.damaged else packed


def test_months_of_daily_archives_are_complete(emptied_settings: Settings) -> None:
    with EdgarSite().serving() as site:
        months = Months(site)
        settings = msgspec.structs.replace(emptied_settings, edgar_url=site.url)
        for kill_after in (5, 20):
            command = Command(settings, "fetch", "--feed", *BETWEEN)
            asked = len(site.asked("/Feed/"))
            while len(site.asked("/Feed/")) < asked + kill_after:
                assert command.process.poll() is None, command.ended()
                time.sleep(0.01)
            command.kill()
        # A damaged archive is refused by name; what it has not is fetched.
        status, summary = Command(settings, "fetch", "--feed", *BETWEEN).ended()
        damaged = {each["source"].rpartition("/")[2] for each in summary["refusals"]}
        print(
            f"{len(DAYS)} days, {months.count} submissions: {len(summary['days'])} by archives,"
            f" {summary['fetched']} files, in {summary['seconds']:.0f} s after two kills"
        )
        assert (summary["listed"], summary["pending"], summary["failed"]) == (months.count, [], [])
        assert damaged <= {f"{day:%Y%m%d}.nc.tar.gz" for day in months.damaged}
        assert status == (3 if damaged else 0)
        ranges = [a.range for a in site.log if "/Feed/" in a.path and a.path.endswith(".tar.gz")]
        assert sum(each is not None for each in ranges) >= 10
        status, checked = Command(settings, "check", *BETWEEN, "--deep").ended()
        assert (status, checked["listed"], checked["missing"]) == (0, months.count, 0)
        again = Command(settings, "fetch", "--feed", *BETWEEN).ended()
        assert (again[0], again[1]["known"], again[1]["days"]) == (0, months.count, [])
