"""Templates by which words are indexed otherwise than by those of the checkout."""

import json
import shutil
from pathlib import Path

from tests.support.engines import CHECKOUT


def templates_without(folder: Path, word: str) -> Path:
    """The templates, by which this word is not indexed."""
    shutil.copytree(CHECKOUT / "index_templates", folder)
    path = folder / "shared.json"
    shared = json.loads(path.read_text())
    analysis = shared["template"]["settings"]["analysis"]
    analysis["filter"] = {"without": {"type": "stop", "stopwords": [word]}}
    analysis["analyzer"]["filing_text"]["filter"].append("without")
    path.write_text(json.dumps(shared))
    return folder
