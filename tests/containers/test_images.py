"""The image of the service: its size, and what it runs as."""

import json
import re
import tomllib

import pytest

from edgar_search.document.pdf import NO_FONTS
from tests.support.containers import OWN_IMAGE, PYTHON_IMAGE, Docker
from tests.support.engines import CHECKOUT

pytestmark = pytest.mark.long
MOST_BYTES = 250_000_000


def layers(docker: Docker, image: str) -> list[tuple[str, int]]:
    """Return the layers of an image, newest first: its instruction and its bytes."""
    lines = docker.run(
        "history", "--human=false", "--format", "{{json .}}", "--no-trunc", image
    ).splitlines()
    return [(each["CreatedBy"], int(each["Size"])) for each in map(json.loads, lines)]


def test_layers_above_the_base_are_small(docker: Docker) -> None:
    own = layers(docker, OWN_IMAGE)
    above = own[: len(own) - len(layers(docker, PYTHON_IMAGE))]
    for instruction, size in above:
        if size:
            print(f"{size / 1e6:6.1f} MB  {instruction[:80]}")
    assert 0 < sum(size for _, size in above) < MOST_BYTES


def test_image_runs_as_a_user_of_its_own_with_fixed_numbers(docker: Docker) -> None:
    said = docker.run("run", "--rm", "--read-only", OWN_IMAGE, "id")
    assert said == "uid=10001(edgar-search) gid=10001(edgar-search) groups=10001(edgar-search)\n"


def test_image_prints_pdfs_with_its_libraries_and_fonts(docker: Docker) -> None:
    program = (
        "import asyncio, plutoprint\n"
        "from edgar_search.document.pdf import has_fonts\n"
        "book = plutoprint.Book(plutoprint.PAGE_SIZE_A4)\n"
        "book.load_html('<p>paper</p>')\n"
        "book.write_to_pdf('/tmp/paper.pdf')\n"
        "print(open('/tmp/paper.pdf', 'rb').read(5), asyncio.run(has_fonts()))"
    )
    said = docker.run(
        "run", "--rm", "--read-only", "--tmpfs", "/tmp", OWN_IMAGE, "python", "-c", program
    )
    assert said == "b'%PDF-' True\n", NO_FONTS


def test_everything_but_pdf_has_wheels_for_arm(docker: Docker) -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    extras = re.findall(r"^ARG EXTRAS=(.+)$", (CHECKOUT / "Dockerfile").read_text(), re.MULTILINE)
    names = extras[0].removesuffix(",pdf").split(",")
    needed = [*project["dependencies"]]
    for name in names:
        needed += project["optional-dependencies"][name]
    tags = ("2014", "_2_17", "_2_24", "_2_26", "_2_27", "_2_28")
    platforms = [word for tag in tags for word in ("--platform", f"manylinux{tag}_aarch64")]
    asked = ("pip", "install", "--dry-run", "--target", "/tmp/wheels", "--python-version", "3.11")
    said = docker.run(
        "run", "--rm", PYTHON_IMAGE, *asked, "--only-binary=:all:", *platforms, *needed, seconds=600
    )
    assert "Would install" in said


def test_image_without_an_elasticsearch_says_so_in_a_sentence(docker: Docker) -> None:
    command = [docker.program, "run", "--rm", OWN_IMAGE]
    done = docker.attempt(command, 120)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("edgar-search: ") and done.stderr.count("\n") == 1
