"""An issuer that leads the service to something else that listens on its machine."""

from collections.abc import Iterator

import pytest

from edgar_search.access.tokens.bearer import Tokens
from edgar_search.settings.issuer import may_name
from tests.support.elsewhere import Elsewhere, listening_elsewhere
from tests.support.issuer import DISCOVERY, KEYS, Answer, Issuer
from tests.unit.sign_in.asking import is_unavailable

pytestmark = pytest.mark.anyio


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    with listening_elsewhere() as server:
        yield server


@pytest.mark.parametrize("path", [DISCOVERY, KEYS])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirect_of_an_issuer_reaches_nobody(
    path: str, status: int, tokens: Tokens, issuer: Issuer, elsewhere: Elsewhere
) -> None:
    issuer.answers[path] = Answer(status=status, headers={"Location": elsewhere.url})
    assert await is_unavailable(tokens, issuer.token())
    assert elsewhere.asked == []


@pytest.mark.parametrize(
    ("issuer_name", "address", "may"),
    [
        ("https://issuer.example", "https://keys.example/", True),
        ("https://issuer.example", "http://127.0.0.1:9200/", False),
        ("https://issuer.example", "https://127.0.0.2/", False),
        ("https://issuer.example", "http://localhost:6379/", False),
        ("https://issuer.example", "http://keys.example/", False),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8081/token", True),
        ("http://localhost:8080", "https://keys.example/", True),
    ],
)
def test_issuer_of_another_machine_may_name_no_loopback_address(
    issuer_name: str, address: str, may: bool
) -> None:
    assert may_name(issuer_name, address) is may
