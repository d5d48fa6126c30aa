"""`edgar-search doctor`"""

import argparse
import asyncio
import logging

from edgar_search.doctor.doctor import examine
from edgar_search.doctor.findings import Finding, worst
from edgar_search.settings import Settings

WRONG = 1


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Print a line for each check; return 1 if one found a fault, else 0."""
    # The log would repeat the findings.
    logging.disable(logging.CRITICAL)

    async def report() -> list[Finding]:
        findings = []
        async for finding in examine(settings, loading=options.loading, mail_to=options.mail):
            print(finding.line, flush=True)
            findings.append(finding)
        return findings

    return WRONG if worst(asyncio.run(report())) == "wrong" else 0
