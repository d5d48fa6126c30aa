"""The command lines of both programs: handlers, help, examples."""

import argparse
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import pytest

import edgar_search.cli
import ingest.cli
from edgar_search.commands.options import FORMATS, PARAMETERS
from edgar_search.commands.output import OUTPUTS
from tests.support.parameter_tables import options_of_commands

PROGRAMS: dict[str, tuple[ModuleType, str]] = {
    "edgar-search": (edgar_search.cli, "edgar_search.commands"),
    "edgar-ingest": (ingest.cli, "ingest.commands"),
}
COMMANDS = [(program, name) for program, (cli, _) in PROGRAMS.items() for name in cli.COMMANDS]
# Modules that take a second to import, which help needs not.
HEAVY = ("elasticsearch", "starlette", "aiohttp", "lxml", "authlib", "joserfc")


def parser_of(program: str, name: str) -> argparse.ArgumentParser:
    parser = PROGRAMS[program][0].make_parser(name)
    return actions_of(parser)[name]


def actions_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def leaves(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    actions = actions_of(parser)
    if not actions:
        yield parser
    for each in actions.values():
        yield from leaves(each)


@pytest.mark.parametrize(("program", "name"), COMMANDS)
def test_handler_exists(program: str, name: str) -> None:
    for leaf in leaves(parser_of(program, name)):
        module, _, function = leaf.get_default("run").partition(":")
        assert callable(getattr(import_module(f"{PROGRAMS[program][1]}.{module}"), function))


@pytest.mark.parametrize(("program", "name"), COMMANDS)
def test_every_option_has_its_meaning(program: str, name: str) -> None:
    for leaf in leaves(parser_of(program, name)):
        assert [action.dest for action in leaf._actions if not action.help] == []


@pytest.mark.parametrize(("program", "name"), COMMANDS)
def test_help_has_examples_that_parse(program: str, name: str) -> None:
    epilog = parser_of(program, name).epilog or ""
    lines = [line.strip() for line in epilog.splitlines() if line.startswith("  ")]
    assert len(lines) >= 3
    for line in lines:
        words = shlex.split(line.partition(" > ")[0])
        assert words[0] == program
        parser = PROGRAMS[program][0].make_parser(words[1])
        assert parser.parse_args(words[1:]).run


@pytest.mark.parametrize("program", PROGRAMS)
def test_program_alone_prints_its_help(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    cli = PROGRAMS[program][0]
    assert cli.main([]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"usage: {program} ")
    assert all(f"    {name} " in printed or f"    {name}\n" in printed for name in cli.COMMANDS)


_ASKING = ("search", "statements", "facts", "screen", "listen")


@pytest.mark.parametrize(
    "line",
    [
        "edgar_search.cli --help",
        "ingest.cli load --help",
        *(f"edgar_search.cli {command} --help" for command in _ASKING),
    ],
)
def test_help_imports_nothing_that_takes_long(line: str) -> None:
    module, *arguments = line.split()
    code = (
        f"import sys; sys.argv = ['x', *{arguments}]\n"
        f"from {module} import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"sys.exit(str(sorted(set({HEAVY}) & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == "[]\n"


def test_options_of_commands_are_those_that_endpoints_declare() -> None:
    assert PARAMETERS.read_text() == options_of_commands(), "`make tables` writes them"
    assert FORMATS == tuple(OUTPUTS)
