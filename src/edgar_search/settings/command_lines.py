"""The parsers of both programs: their commands by name, and examples in the help."""

import argparse
from collections.abc import Callable, Mapping
from importlib.metadata import version

from edgar_search.settings.extras import PACKAGE

# The description of a command, and the function that adds its options.
Commands = Mapping[str, tuple[str, Callable[[argparse.ArgumentParser], None]]]


def program_parser(
    program: str, description: str, commands: Commands, command: str
) -> argparse.ArgumentParser:
    """Create the parser of a command line that begins with `command`.

    Only that command gets its options. Handlers are given as `module:function` and imported when
    they run, so that help appears at once.
    """
    parser = argparse.ArgumentParser(
        prog=program,
        description=description,
        epilog=f"`{program} COMMAND --help` shows the options of a command, with examples.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version(PACKAGE)}")
    names = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, (text, add) in commands.items():
        one = names.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        if name == command:
            add(one)
    return parser


def show_examples(parser: argparse.ArgumentParser, *examples: str) -> None:
    """End the help of a command with examples, which are given without the command's name."""
    lines = "\n".join(f"  {parser.prog} {example}".rstrip() for example in examples)
    parser.epilog = f"examples:\n{lines}"
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
