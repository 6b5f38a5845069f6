"""Names of schemas at the border."""

from refdesk.kit.settings import Settings
from refdesk.server import create_app


def test_no_two_schemas_have_one_name() -> None:
    # Where they do, both are called by their modules, and every client's types change with a file's name.
    schemas = create_app(Settings(), database_url="postgresql://unused").openapi()["components"]["schemas"]
    assert [name for name in schemas if "__" in name] == []
