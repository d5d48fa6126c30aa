"""One Docker engine with all images for the tests of containers, which skip if none can be had."""

from collections.abc import Iterator

import pytest

from tests.support.containers import Docker, Missing, docker_engine, make_images


@pytest.fixture(scope="session")
def docker() -> Iterator[Docker]:
    """An engine that has the images of this checkout."""
    try:
        with docker_engine() as docker:
            make_images(docker)
            yield docker
    except Missing as missing:
        pytest.skip(str(missing))
