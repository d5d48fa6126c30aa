"""A disk that takes no more, as an error of the whole run."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from edgar_search.errors import EdgarSearchError


@contextmanager
def writing(where: Path | str | None) -> Iterator[None]:
    """Raises EdgarSearchError for an OSError inside, with the file that it names, or `where`.

    That is None for the system's folder of temporary files.
    """
    try:
        yield
    except OSError as error:
        place = error.filename or where or tempfile.gettempdir()
        raise EdgarSearchError(f"{place}: cannot be written: {error.strerror}") from error
