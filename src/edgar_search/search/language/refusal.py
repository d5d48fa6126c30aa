"""The one error of the query language."""

from edgar_search.errors import BadRequest


class QueryError(BadRequest):
    """The query cannot be understood, or asks for more than the service gives.

    `message` is also `str(error)`. `position` counts the user's own characters from 1; it is 0
    where no character is to blame.
    """

    def __init__(self, wrong: str, right: str, position: int = 0) -> None:
        place = f" at character {position}" if position else ""
        self.message = f"query: {wrong}{place}; {right}"
        self.position = position
        super().__init__(self.message)
