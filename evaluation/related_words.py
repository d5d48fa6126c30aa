"""Related words, judged group by group: the judged queries that each group changes.

    python -m evaluation.related_words [--unjudged]

A query is asked with `operands=most`, a question as pages ask, each with all forms of its words and
then with the related words of one group too. Printed are nDCG and recall before and after, of each
query that a group changes, and the gain of the group in nDCG. A group stays in the list if its gain
is not below zero. A question with evidence counts as one that a single document answers.

With `--unjudged` come the documents among the first ten that nobody has judged; they count as 0, so
a group is judged by its figures once there are none.
"""

import argparse
import asyncio
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

from msgspec import structs

from edgar_search.engine.embedded import resolve
from edgar_search.search.language import And, Node, Or, Word, leaves
from edgar_search.search.language.word_forms import related_groups
from edgar_search.settings import Settings
from evaluation.evidence import evidence_questions
from evaluation.installed import Installed, installed
from evaluation.judged_queries import (
    DEEP,
    FIRST,
    QUESTIONS,
    Figures,
    JudgedQuery,
    figures,
    judged_queries,
)
from evaluation.questions import PAGES
from evaluation.ranking import VARIANTS, search_parameters

Group = tuple[str, ...]


class Change(NamedTuple):
    """A query that a group changes: its figures before and after, and the documents found."""

    query: JudgedQuery
    before: Figures
    after: Figures
    found: list[str]

    @property
    def gain(self) -> float:
        """The gain of nDCG."""
        return self.after.ndcg - self.before.ndcg

    @property
    def unjudged(self) -> list[str]:
        """Documents among the first without a judgement; none if one document is the answer."""
        judged = self.query.judgements
        return [each for each in self.found[:FIRST] if len(judged) > 1 and each not in judged]

    def __str__(self) -> str:
        before, after = self.before, self.after
        return (
            f"  {self.gain:+.3f}  nDCG@{FIRST} {before.ndcg:.3f} {after.ndcg:.3f}"
            f"  recall@{DEEP} {before.recall:.2f} {after.recall:.2f}"
            f"  unjudged {len(self.unjudged)}  {self.query.query}"
            f"{' (held out)' if self.query.held_out else ''}"
        )


def keep_related(node: Node, group: Group) -> Node:
    """Return the query with the related words of this group only."""
    if isinstance(node, And):
        positive = tuple(keep_related(each, group) for each in node.positive)
        return And(positive, tuple(keep_related(each, group) for each in node.negative))
    if isinstance(node, Or):
        return Or(tuple(keep_related(operand, group) for operand in node.operands))
    if isinstance(node, Word) and set(group).isdisjoint(node.related):
        return structs.replace(node, related=())
    return node


def _asked() -> Iterator[tuple[JudgedQuery, Mapping[str, str]]]:
    """Yield each judged query and question with the parameters that it is asked with."""
    for query in judged_queries():
        yield query, search_parameters(query, VARIANTS["both"])
    questions = judged_queries(QUESTIONS)
    for each in evidence_questions():
        answer = {each.document_id: 3}
        questions.append(
            JudgedQuery(each.id, each.person, each.query, answer, held_out=each.held_out)
        )
    for question in questions:
        yield question, search_parameters(question, {**PAGES, "word_forms": "all"})


async def find_changes(installation: Installed) -> dict[Group, list[Change]]:
    """Find what each group changes."""
    changes: defaultdict[Group, list[Change]] = defaultdict(list)
    groups = list(map(tuple, related_groups()))
    for query, parameters in _asked():
        related = {**parameters, "word_forms": "related"}
        words = [w for w in leaves(await installation.query(related)) if isinstance(w, Word)]
        texts = {text for word in words for text in word.related}
        asked = [group for group in groups if not texts.isdisjoint(group)]
        before = await _found(installation, parameters) if asked else []
        for group in asked:
            after = await _found(installation, related, group)
            if after != before:
                each = Change(query, figures(query, before), figures(query, after), after)
                changes[group].append(each)
    return changes


async def _found(
    installation: Installed, parameters: Mapping[str, str], group: Group = ()
) -> list[str]:
    page = await installation.search(parameters, partial(keep_related, group=group))
    return [hit.document_id for hit in page.hits]


async def _print(settings: Settings, unjudged: bool) -> None:
    async with installed(settings) as installation:
        changes = await find_changes(installation)
    gains = {group: sum(each.gain for each in found) for group, found in changes.items()}
    for group in sorted(changes):
        print(f"{gains[group]:+.3f} {' / '.join(group)}")
        for change in changes[group]:
            print(change)
            if unjudged and change.unjudged:
                print(f"          {' '.join(change.unjudged)}")
    harmful = sum(gain < 0 for gain in gains.values())
    print(
        f"{len(related_groups())} groups; {len(gains)} change judged queries,"
        f" by {sum(gains.values()):+.3f}; {harmful} harm more than they help"
    )


def main() -> None:
    """Print the groups with what they change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--unjudged", action="store_true", help="the documents without a judgement")
    settings = resolve(Settings.from_environ(os.environ))
    asyncio.run(_print(settings, parser.parse_args().unjudged))


if __name__ == "__main__":
    main()
