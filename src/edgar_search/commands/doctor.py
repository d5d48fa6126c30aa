"""`edgar-search doctor`"""

import argparse
import asyncio

from edgar_search.doctor.doctor import examine
from edgar_search.doctor.findings import Finding, worst
from edgar_search.engine import embedded
from edgar_search.settings import Settings

WRONG = 1


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Print a line for each thing that was looked at; 1 where one is wrong."""

    async def report() -> list[Finding]:
        findings = []
        async for finding in examine(embedded.resolve(settings), loading=options.loading):
            print(finding.line, flush=True)
            findings.append(finding)
        return findings

    return WRONG if worst(asyncio.run(report())) == "wrong" else 0
