"""Rebuilding as an operator does it, by commands that are killed at any moment and taken over."""

import asyncio
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

from bench.loading import environment
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.settings import Settings
from ingest.indices.rebuild_records import RebuildRecord

# The command line over the templates of another folder than the checkout's.
_WITH_TEMPLATES = """
import sys
from pathlib import Path
from edgar_search.engine import templates
from ingest.cli import main
templates._FOLDERS = (Path(sys.argv[1]),)
sys.exit(main(sys.argv[2:]))
"""


class Commands:
    """`edgar-ingest` for one installation and these templates."""

    def __init__(self, settings: Settings, templates: Path) -> None:
        self._environment = environment(settings)
        self._start = (sys.executable, "-c", _WITH_TEMPLATES, str(templates))

    async def run(self, *arguments: str, kill_after: float | None = None) -> tuple[int, str]:
        """The exit status, -9 if it was killed after this many seconds, and what it printed."""
        process = await asyncio.create_subprocess_exec(
            *(*self._start, *arguments),
            env=self._environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        reading = asyncio.create_task(process.communicate())
        try:
            printed, _ = await asyncio.wait_for(asyncio.shield(reading), kill_after)
        except TimeoutError:
            process.kill()
            printed, _ = await reading
        assert process.returncode is not None
        return process.returncode, printed.decode()

    async def well(self, *arguments: str) -> str:
        """Return the output, of a process that must end well."""
        status, printed = await self.run(*arguments)
        assert status == 0, (arguments, printed)
        return printed


class Operator:
    """Rebuilds a kind, switches to it and goes back, and takes over what was killed."""

    def __init__(self, engine: Engine, commands: Commands, chance: Random) -> None:
        self._engine = engine
        self._commands = commands
        self._chance = chance
        self._seconds: dict[tuple[str, Kind], float] = {}
        self._start = 0.0
        self.kills: Counter[str] = Counter()

    async def look(self) -> None:
        """The duration of a command that hardly does anything: earlier kills try nothing."""
        began = time.monotonic()
        await self._commands.well("indices", "list")
        self._start = (time.monotonic() - began) / 2

    async def round(self, kind: Kind, kills: bool) -> None:
        """A rebuilding, a switch, and the way back, each hit once where there are to be `kills`.

        What came since the switch is loaded again before the next round: until then a filing is
        not whole, and documents of which passages are missing cannot be copied.
        """
        await self._do("rebuild", kind, kills)
        await self._do("switch", kind, kills)
        await self._do("back", kind, kills)
        await self._commands.well("load", "--archive", "--workers", "1")
        await self._commands.well("indices", "prune")

    async def for_good(self, kind: Kind) -> None:
        """A rebuilding and a switch, which stays."""
        await self._do("rebuild", kind, False)
        await self._do("switch", kind, False)

    async def _do(self, action: str, kind: Kind, hit: bool) -> None:
        """One step to its end; where it is hit, someone takes it over as the documents say."""
        expected = self._seconds.get((action, kind))
        if hit and expected is not None:
            moment = self._chance.uniform(self._start, max(expected, 2 * self._start))
            if (await self._step(action, kind, moment)) == 0:
                return
            self.kills[f"{action} {kind}, {await self._stage(kind)}"] += 1
            print(f"killed {action} {kind} after {moment:.2f} of {expected:.2f} s", flush=True)
            if await self._over(action, kind):
                return
        began = time.monotonic()
        assert await self._step(action, kind) == 0
        self._seconds[action, kind] = time.monotonic() - began

    async def _step(self, action: str, kind: Kind, kill_after: float | None = None) -> int:
        more = ("--may-differ",) if action in ("switch", "resume") else ()
        status, printed = await self._commands.run(
            "indices", action, kind, *more, kill_after=kill_after
        )
        assert status in (0, -9), (action, kind, printed)
        return status

    async def _over(self, action: str, kind: Kind) -> bool:
        """Take over what was killed; whether the step is done with that."""
        stage = await self._stage(kind)
        if action == "switch" and stage == "switching":
            return await self._resumed_or_begun_anew(kind)
        if action == "back" and stage == "going back":
            assert await self._step("resume", kind) == 0
            return True
        # The last thing that it did may have been the step itself.
        return (action, stage) in {("switch", "switched"), ("back", "nothing")}

    async def _resumed_or_begun_anew(self, kind: Kind) -> bool:
        if self._chance.random() < 0.5:
            status, printed = await self._commands.run("indices", "abandon", kind)
            if status == 0:
                await self._do("rebuild", kind, False)
                return False
            # The aliases had moved: that is done, and only to be ended.
            assert "is in use already" in printed, printed
        assert await self._step("resume", kind) == 0
        return True

    async def _stage(self, kind: Kind) -> str:
        record = await RebuildRecord(self._engine, kind, "all").read()
        return record.stage if record is not None else "nothing"
