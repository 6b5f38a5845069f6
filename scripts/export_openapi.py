"""Write the server's OpenAPI document to `frontend/openapi.json`, from which the page's client is generated.

`--check` writes nothing and fails when the file is stale. Needs no database: the application is only built.
"""

import json
import sys
from pathlib import Path

from refdesk.kit.settings import Settings
from refdesk.server import create_app

TARGET = Path(__file__).resolve().parents[1] / "frontend" / "openapi.json"


def document() -> str:
    """The document as text; keys keep the order of the routes, so that a diff shows what changed."""
    app = create_app(Settings(), database_url="postgresql://unused")
    schema = app.openapi()
    # The version of the package changes with every release, the interface does not.
    schema["info"]["version"] = "1"
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    text = document()
    if "--check" in sys.argv[1:]:
        if not TARGET.is_file() or TARGET.read_text(encoding="utf-8") != text:
            print(f"{TARGET.name} is stale: run this script and `npm run generate` in frontend/.")
            return 1
        print(f"{TARGET.name} is fresh.")
        return 0
    TARGET.write_text(text, encoding="utf-8")
    print(f"Wrote {TARGET}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
