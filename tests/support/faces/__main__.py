"""The faces of an older commit beside those of this checkout: the same questions, the same bytes?

`python -m tests.support.faces COMMIT` loads made-up and real filings, runs a service of each of the
two, and asks both: every endpoint with each of its parameters, walks to their end, exports in all
formats, workbooks, pages by their links, tools of MCP, `/auth/`, command lines, and the requests of
`frozen.json`. It prints how many answers of each face are equal, which only gained fields, and what
differs in the others, and exits with 1 if any differs.

The questions follow from what the older one declares and from what it answers, so that a new
endpoint or parameter of it needs nothing here. PDFs, streams of events and sign-in at an issuer are
not asked. Both run with the packages of this checkout. If the code that writes is the same, one
installation is loaded and both answer from it, otherwise each loads its own.
"""

import argparse
import asyncio
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import httpx2
import msgspec
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from bench.corpus import CORPUS
from bench.installation import remove
from bench.loading import environment
from bench.service import ending, free_port
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from tests.engine.lookups.test_holdings import REPORTS
from tests.support.api_examples import USER
from tests.support.engines import CHECKOUT, test_engine
from tests.support.faces.answers import Answered, Verdict, compared
from tests.support.faces.questions import (
    Record,
    Values,
    address,
    declared,
    exports,
    of_endpoint,
    tool,
)
from tests.support.made_up_xbrl import report_of_examples
from tests.support.ownership_forms import FORMS
from tests.support.samples import SAMPLES
from tests.support.submissions import MadeUp, MadeUpEntity, txt
from tests.support.waiting import until

# If none of these differs, both would write the same.
_WRITERS = (
    *("ingest", "index_templates", "src/edgar_search/stored", "src/edgar_search/text"),
    *("src/edgar_search/edgar", "src/edgar_search/engine/index_names.py"),
)
_FROZEN = CHECKOUT / "tests" / "web" / "api" / "values" / "frozen.json"
# Real submissions of each form type with and without XBRL, the smallest first; more with rows.
_OF_A_FORM, _MOST_BYTES = 3, 5_000_000
_WITH_ROWS, _OF_ROWS = ("4", "13F-HR", "13F-HR/A", "SCHEDULE 13G"), 12
_FORMATS = ("jsonl", "csv", "xlsx", "parquet")
# A walk that is longer than this shows nothing new.
_MOST_STEPS = 40
# Pages of one path with the same parameters.
_OF_A_KIND = 4
_LINK = re.compile(r'(?:href|src|action)="(/[^"#]*)')
_NAMES_IN_PATH = re.compile(r"\d[\w.-]*")
_NOT_PAGES = ("/pdf", "/static/", "/v1/", "/v2/", "/sign-", "/openapi.json", "/account")
_OWN = ("", "/usage", "/alerts", "/notifications", "/favorites", "/links", "/history")
_REPORTED = 12
# A process that runs many commands starts once.
_COMMANDS = """
import contextlib, io, json, sys
from edgar_search.cli import main
answers = []
for line in json.loads(sys.argv[1]):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            status = main(line)
        except SystemExit as error:
            status = error.code
    answers.append((status or 0, said.getvalue()))
print(json.dumps(answers))
"""
# Two services that start at once on a busy machine.
_START_SECONDS = 180


class Side(NamedTuple):
    """One of the two: its name, its files, and the settings of its installation."""

    name: str
    checkout: Path
    settings: Settings

    def environment(self) -> dict[str, str]:
        """Return the environment of its processes, whose modules are those of its files."""
        path = os.pathsep.join([str(self.checkout / "src"), str(self.checkout)])
        return {**environment(self.settings), "PYTHONPATH": path, "EDGAR_SEARCH_DRAIN": "0"}

    async def run(self, *arguments: str) -> tuple[int, bytes, bytes]:
        """Return the status and the output of a run of Python."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *arguments),
            env=self.environment(),
            cwd=self.checkout,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        printed, said = await process.communicate()
        assert process.returncode is not None
        return process.returncode, printed, said

    async def last_line(self, *arguments: str) -> str:
        """Return the last line that a command of `edgar-search` prints."""
        status, printed, said = await self.run("-m", "edgar_search.cli", *arguments)
        assert status == 0, said.decode()
        return printed.decode().splitlines()[-1]

    async def load(self, folder: Path) -> None:
        """Load submissions and tickers."""
        tickers = str(SAMPLES / "company_tickers.json")
        for arguments in (("load", str(folder), "--workers", "2"), ("tickers", tickers)):
            status, _, said = await self.run("-m", "ingest.cli", *arguments)
            # 3 says that the load warned.
            assert status in (0, 3), said.decode()


class Served(NamedTuple):
    """The service of a side, with an API key, a user's token, and a browser of that user."""

    side: Side
    url: str
    http: httpx.AsyncClient
    key: str
    token: str

    async def json(self, path: str) -> Any:
        """Return the JSON of an answer of version 1, which is to succeed."""
        answer = await self.http.get(path, headers={"X-API-Key": self.key})
        assert answer.status_code == 200, (path, answer.text)
        return answer.json()

    async def ask(self, method: str, target: str, body: Any = None) -> Answered:
        """Return an answer to a request with the key, below `/auth/` with the token."""
        own = target.startswith("/auth/")
        given = {"Authorization": f"Bearer {self.token}"} if own else {"X-API-Key": self.key}
        content = None if body is None else json.dumps(body)
        answer = await self.http.request(method, target, content=content, headers=given)
        of_users = own or target.startswith(("/account", "/status", "/v2/health"))
        headers = answer.headers.multi_items()
        return Answered.of(answer.status_code, headers, answer.content, of_users=of_users)

    async def walk(self, target: str) -> Answered:
        """Return all answers of a walk, one after the other."""
        given, whole, next_path = {"X-API-Key": self.key}, [], target
        for _ in range(_MOST_STEPS):
            answer = await self.http.get(next_path, headers=given)
            whole.append(answer.content)
            cursor = answer.json().get("next_cursor") if answer.status_code == 200 else None
            if cursor is None:
                break
            next_path = address(target.partition("?")[0], {"cursor": cursor})
        headers = answer.headers.multi_items()
        return Answered.of(answer.status_code, headers, b"\n".join(whole))

    @asynccontextmanager
    async def agent(self) -> AsyncIterator[Client]:
        """Yield a client of its tools."""
        given = {"Authorization": f"Bearer {self.key}"}
        async with (
            httpx2.AsyncClient(headers=given, timeout=120) as http,
            Client(streamable_http_client(f"{self.url}/mcp", http_client=http)) as agent,
        ):
            yield agent

    async def commands(self, lines: Sequence[Sequence[str]]) -> list[Answered]:
        """Return the output of command lines, one after the other in one process."""
        status, printed, said = await self.side.run("-c", _COMMANDS, json.dumps(lines))
        assert status == 0, said.decode()
        return [Answered.of(code, [], text.encode()) for code, text in json.loads(printed)]


class Comparison:
    """The answers of both sides to the same questions."""

    def __init__(self, old: Served, new: Served) -> None:
        self.old, self.new = old, new
        self.verdicts: dict[str, Counter[Verdict]] = defaultdict(Counter)
        self.details: dict[str, list[str]] = defaultdict(list)
        self.gains: Counter[str] = Counter()

    async def ask(self, face: str, method: str, target: str, body: Any = None) -> Answered:
        """Ask both; the older one's answer."""
        both = await asyncio.gather(*(s.ask(method, target, body) for s in (self.old, self.new)))
        name = f"{method} {target}" + ("" if body is None else f" {json.dumps(body)}")
        return self._hold(face, name, *both)

    async def walk(self, target: str) -> None:
        """Walk to the end on both."""
        both = await asyncio.gather(*(each.walk(target) for each in (self.old, self.new)))
        self._hold("walks", target, *both)

    async def call(self, agents: Sequence[Client], name: str, arguments: Mapping[str, Any]) -> None:
        """Call a tool of both."""
        both = await asyncio.gather(*(agent.call_tool(name, dict(arguments)) for agent in agents))
        answers = [
            Answered.of(400 if each.is_error else 200, [], each.model_dump_json().encode())
            for each in both
        ]
        self._hold("mcp", f"{name} {json.dumps(arguments)}", *answers)

    async def commands(self, lines: Sequence[Sequence[str]]) -> None:
        """Run command lines of both."""
        found = await asyncio.gather(*(each.commands(lines) for each in (self.old, self.new)))
        for line, *both in zip(lines, *found, strict=True):
            self._hold("commands", " ".join(line), *both)

    def _hold(self, face: str, name: str, old: Answered, new: Answered) -> Answered:
        verdict, detail = compared(old, new)
        self.verdicts[face][verdict] += 1
        if verdict == "gained":
            self.gains.update(re.findall(r"\+([^ ,]+)", detail))
        elif verdict == "differs":
            self.details[face].append(f"{name[:300]}\n    {detail}")
        return old

    def report(self) -> int:
        """Print what was found; 1 if anything differs."""
        print("| face | asked | equal | gained fields | differ |\n|---|---:|---:|---:|---:|")
        for face, counted in self.verdicts.items():
            numbers = (counted.total(), counted["equal"], counted["gained"], counted["differs"])
            print(f"| {face} | " + " | ".join(map(str, numbers)) + " |")
        if self.gains:
            print("\ngained: " + ", ".join(f"{path} ({n})" for path, n in self.gains.most_common()))
        for face, details in self.details.items():
            print(f"\n{face}: {len(details)} differ")
            for detail in details[:_REPORTED]:
                print(f"  {detail}")
        return 1 if self.details else 0


class Asking(NamedTuple):
    """A comparison, values to ask with, and the questions of each endpoint by its path.

    `pages` is the number of pages to ask for at most.
    """

    comparison: Comparison
    values: Values
    document: Mapping[str, Any]
    by_path: Mapping[str, Sequence[Record]]
    pages: int


async def ask_everything(comparison: Comparison, faces: Sequence[str], pages: int) -> None:
    """Ask both sides all questions of these faces."""
    values = await _values(comparison.old)
    document = await comparison.old.json("/openapi.json")
    by_path = {each.name: of_endpoint(each, values) for each in declared(document, "/")}
    del by_path["/v1/stream"]
    asking = Asking(comparison, values, document, by_path, pages)
    for face in faces:
        await _FACES[face](asking)
        print(f"{face}: asked", file=sys.stderr, flush=True)


async def _version(asking: Asking, version: str) -> None:
    """Ask every endpoint of a version with each of its parameters."""
    for path, questions in asking.by_path.items():
        if path.startswith(f"/{version}/") and path != "/v2/pdf":
            for asked in questions:
                await asking.comparison.ask(version, "GET", address(path, asked))


async def _refused(asking: Asking) -> None:
    for method, target, body, *_ in json.loads(_FROZEN.read_bytes())["requests"]:
        await asking.comparison.ask("refused", method, target, body)


async def _walks(asking: Asking) -> None:
    for path in (path for path, each in asking.document["paths"].items() if _is_walked(each)):
        for asked in asking.by_path[path][:3]:
            kept = {name: each for name, each in asked.items() if name != "limit"}
            for more in ({}, {"snapshot": "true"}):
                beginning = {**kept, **more, "cursor": "*", "limit": "7"}
                await asking.comparison.walk(address(path, beginning))


async def _exports(asking: Asking) -> None:
    for asked in exports(asking.by_path, _FORMATS):
        await asking.comparison.ask("exports", "GET", address("/v1/export", asked))


async def _mcp(asking: Asking) -> None:
    comparison = asking.comparison
    async with comparison.old.agent() as old, comparison.new.agent() as new:
        for listed in (await old.list_tools()).tools:
            declaration = tool(listed.model_dump(by_alias=True))
            for asked in of_endpoint(declaration, asking.values):
                arguments = _arguments(declaration.parameters, asked)
                await comparison.call((old, new), declaration.name, arguments)


async def _auth(asking: Asking) -> None:
    for name, parameters in USER:
        method, _, path = name.partition(" ")
        if method == "GET":
            await asking.comparison.ask("auth", method, address(path, parameters))
        elif "id" not in parameters:
            await asking.comparison.ask("auth", method, path, parameters)


async def _commands(asking: Asking) -> None:
    await asking.comparison.commands(list(_command_lines(asking.values)))


def _is_walked(operations: Mapping[str, Any]) -> bool:
    names = {each["name"] for each in operations.get("get", {}).get("parameters", ())}
    return {"cursor", "snapshot"} <= names


def _arguments(parameters: Mapping[str, tuple[Sequence[str], str]], asked: Record) -> Any:
    """Return values as a tool takes them."""
    made: dict[str, Any] = {}
    for name, value in asked.items():
        kind = parameters[name][1]
        number = kind in ("integer", "number") and value.isdecimal()
        made[name] = [value] if kind == "array" else int(value) if number else value
        if kind == "boolean":
            made[name] = True
    return made


async def _values(old: Served) -> Values:
    """Return values that the installation has, of all its rows and some of its texts."""
    rows = ("insider_trades", "insider_holdings", "stakes", "planned_sales", "holdings")
    facts = "Assets,NetIncomeLoss,Revenues,StockholdersEquity"
    searches = ("revenue", "risk", "shares")
    included = "include=eight_k_items,document_type"
    forms = "8-K,10-K,10-Q,4,13F-HR,SC 13D/A,SCHEDULE 13D/A,DEF 14A,6-K,10-K405,S-3,144"
    answers = [
        await old.json(address("/v1/lookup", {"form_type": forms, "limit": "1000"})),
        *[await old.json(f"/v1/{kind}?limit=500") for kind in rows],
        await old.json(f"/v1/facts?concept={facts}&limit=500"),
        *[await old.json(f"/v1/search?query={word}&limit=100&{included}") for word in searches],
        await old.json("/v2/entity_lookup?to=200"),
    ]
    ids = [item["document_id"] for item in answers[-2]["items"]]
    documents = [await old.json(f"/v1/text?document_id={each}&length=20000") for each in ids[::9]]
    answers += [{"texts": [{k: t[k] for k in ("document_id", "text_sha256")} for t in documents]}]
    return Values(answers, [document["text"] for document in documents])


async def _pages(asking: Asking) -> None:
    """Ask for pages and what they link to, then for those of a user who has signed in."""
    comparison, values, by_path = asking.comparison, asking.values, asking.by_path
    seeds = [
        *("/", "/coverage", "/docs", "/status", "/companies?name=a", "/no-such-page"),
        *(address("/search/matches", each) for each in by_path["/v1/search"][:4]),
        *(f"/filing/{each}" for each in values.of("accnum", "string")),
        *(f"/company/{each}" for name in ("cik", *_OWNERS) for each in values.of(name, "string")),
        *(f"/document/{each}?query=revenue" for each in values.of("document_id", "string")),
        *(address("/compare", each) for each in by_path["/v1/compare"]),
        *(address("/search", each) for each in by_path["/v1/search"]),
        *(address("/found", {"query": each}) for each in values.of("query", "string")),
        *(address("/cite", {"citation": each}) for each in values.of("quote", "string")),
    ]
    waiting, seen, kinds = deque(seeds), set(seeds), Counter[tuple[Any, ...]]()
    for _ in range(asking.pages):
        if not waiting:
            break
        target = waiting.popleft()
        page = await comparison.ask("pages", "GET", target)
        for link in _LINK.findall(page.body.decode(errors="replace")):
            found = unescape(link)
            path, _, query = found.partition("?")
            names = tuple(sorted({each.partition("=")[0] for each in query.split("&")}))
            kind = (_NAMES_IN_PATH.sub("*", path), names)
            if found not in seen and kinds[kind] < _OF_A_KIND and "SIGNED" not in found:
                if not any(each in path for each in _NOT_PAGES):
                    seen.add(found)
                    kinds[kind] += 1
                    waiting.append(found)
    for part in _OWN:
        await comparison.ask("own pages", "GET", f"/account{part}")


_OWNERS = ("issuer_cik", "owner_cik", "manager_cik", "person_cik")


def _command_lines(values: Values) -> Iterator[Sequence[str]]:
    """Yield lines of every command that prints results."""
    query, other = values.of("query", "string")[:2]
    ciks, numbers = values.of("cik", "string"), values.of("accnum", "string")
    for form in ("text", "csv", "jsonl"):
        yield "search", query, "--format", form
        yield "search", other, "--format", form, "--all"
        yield "facts", "--concept", "us-gaap:Assets", "--format", form
        yield "statements", "0009990080", "--format", form
    yield "search", query, "--group-by", "filing"
    yield "search", query, "--snippets", "2", "--include", "section,lacks,url", "--format", "jsonl"
    yield "search", "goodwil", "--reading", "person", "--form-type", "10-k,8-K"
    yield "search", "(", "--limit", "3"
    yield "search", query, "--cik", ciks[0], "--limit", "3"
    yield "facts", "--item", "revenue", "--all", "--format", "csv"
    yield "facts", "--item", "nonsense"
    for cik in ciks[:3]:
        yield "statements", cik
    for number in numbers[:3]:
        yield "statements", "--accnum", number, "--format", "csv"
    yield "statements", "0009990080", "--normalize"
    yield "statements", "0009990080", "--statement", "balance_sheet", "--as-of", "2024-06-30"
    for command in ("search", "facts", "statements", "listen", "mcp", "keys", "serve", "doctor"):
        yield command, "--help"


def write_filings(folder: Path, corpus: Path) -> None:
    """Put the samples, made-up forms and some real submissions into a folder."""
    for path in SAMPLES.iterdir():
        if path.suffix in (".txt", ".nc", ".gz"):
            (folder / path.name).symlink_to(path)
    people = MadeUpEntity("0009990001", "MOSS & SONS"), MadeUpEntity("0009990002", "FERN ADA")
    made = [
        MadeUp(f"0009990001-25-00000{number}", people, (document,), document.form_type)
        for number, document in enumerate(FORMS[:3], 1)
    ]
    for submission in (*made, *REPORTS):
        (folder / f"{submission.accession_number}.txt").write_bytes(txt(submission))
    for name, data in report_of_examples().items():
        (folder / name).write_bytes(data)
    chosen: Counter[tuple[str, bool]] = Counter()
    known = [json.loads(line) for line in (corpus / "manifest.jsonl").open()]
    for each in sorted(known, key=lambda each: int(each["bytes"])):
        form, most = each["form"], _OF_ROWS if each["form"] in _WITH_ROWS else _OF_A_FORM
        kind = form, "xbrl_wrapper" in each["oddities"]
        if chosen[kind] < most and each["bytes"] < _MOST_BYTES:
            chosen[kind] += 1
            (folder / each["file"]).symlink_to(corpus / each["file"])


@contextmanager
def _worktree(commit: str, folder: Path) -> Iterator[Path]:
    """Yield the files of a commit, which go at the end."""
    git = ["git", "-C", str(CHECKOUT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(folder), commit], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


@contextmanager
def _started(side: Side) -> Iterator[str]:
    """Start a service of a side; the address at which it will answer."""
    port = free_port()
    command = [sys.executable, "-m", "edgar_search.cli", "serve", "--port", str(port)]
    process = subprocess.Popen(
        command, env=side.environment(), cwd=side.checkout, stderr=subprocess.DEVNULL
    )
    with ending(process):
        yield f"http://127.0.0.1:{port}"


@asynccontextmanager
async def _served(side: Side, url: str) -> AsyncIterator[Served]:
    """Yield the service of a side, once it answers, and a user who has signed in to it."""
    user = f"faces-{side.name}-{secrets.token_hex(4)}"
    named = ("--name", "faces", "--account", "faces", "--plan", "unlimited")
    key = await side.last_line("keys", "create", *named)
    token = await side.last_line("token", "--sub", user)
    plain = {"Accept-Encoding": "identity"}
    async with httpx.AsyncClient(base_url=url, timeout=120, headers=plain) as http:
        await until(partial(_answers, http), _START_SECONDS)
        signed_in = await http.post("/sign-in/local", data={"name": user}, headers={"Origin": url})
        assert signed_in.status_code < 400, signed_in.text
        yield Served(side, url, http, key, token)


async def _answers(http: httpx.AsyncClient) -> bool:
    try:
        return (await http.get("/health/ready")).status_code == 200
    except httpx.TransportError:
        return False


async def _compare(sides: Sequence[Side], filings: Path, options: argparse.Namespace) -> int:
    for side in {each.settings.prefix: each for each in sides}.values():
        if not (side.settings.absolute_home / "loaded").exists():
            await side.load(filings)
            (side.settings.absolute_home / "loaded").touch()
    with _started(sides[0]) as first, _started(sides[1]) as second:
        async with _served(sides[0], first) as old, _served(sides[1], second) as new:
            comparison = Comparison(old, new)
            await ask_everything(comparison, options.faces.split(","), options.pages)
    if not options.keep:
        for side in sides:
            engine = Engine.from_settings(side.settings)
            await remove(engine, side.settings.prefix)
            await engine.close()
    return comparison.report()


_FACES: Mapping[str, Callable[[Asking], Awaitable[None]]] = {
    "v1": partial(_version, version="v1"),
    "v2": partial(_version, version="v2"),
    "refused": _refused,
    "walks": _walks,
    "exports": _exports,
    "mcp": _mcp,
    "auth": _auth,
    "pages": _pages,
    "commands": _commands,
}


def main() -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit", help="what this checkout is held against")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder of real submissions")
    parser.add_argument("--faces", default=",".join(_FACES), help="only these faces")
    parser.add_argument("--pages", type=int, default=900, help="pages to ask for at most")
    parser.add_argument(
        "--keep", metavar="NAME", help="load this installation once, and leave it for the next run"
    )
    options = parser.parse_args()
    name = options.keep or f"faces-{secrets.token_hex(4)}"
    with ExitStack() as stack:
        engine = stack.enter_context(test_engine())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        home = CHECKOUT / ".edgar" / "faces" if options.keep else folder
        older = stack.enter_context(_worktree(options.commit, folder / "checkout"))
        same = not subprocess.run(
            ["git", "-C", str(CHECKOUT), "diff", "--quiet", options.commit, "--", *_WRITERS],
            check=False,
        ).returncode
        filings = folder / "filings"
        filings.mkdir()
        write_filings(filings, options.corpus)

        def side(label: str, checkout: Path) -> Side:
            own = name if same else f"{name}-{label}"
            settings = msgspec.structs.replace(
                engine,
                prefix=f"test-{own}-",
                home=home / own,
                alerts=False,
                pages="open",
                pages_rate=10_000,
                auth_rate=10_000,
                # A busy machine is slow to ask again.
                keep_alive=600.0,
                local_issuer=True,
                default_plan="unlimited",
            )
            settings.absolute_home.mkdir(parents=True, exist_ok=True)
            return Side(label, checkout, settings)

        sides = side("new", CHECKOUT), side("old", older)
        return asyncio.run(_compare(sides[::-1], filings, options))


if __name__ == "__main__":
    raise SystemExit(main())
