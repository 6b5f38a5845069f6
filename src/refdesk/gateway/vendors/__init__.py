"""The catalogue of vendors: for each its address, authentication, wires by kind, error signs and examples.

It is data: files that are read once, a readable entry a vendor. Knows nothing of HTTP, of the database or of
keys; wires and the gateway ask it how a vendor wants to be spoken to.
"""

import tomllib
from functools import lru_cache
from pathlib import Path

from refdesk.gateway.vendors.vendor import Offer, Text, Vendor

ANY = "openai-compatible"
"""The vendor of a server nobody knows more of than that it speaks the OpenAI-compatible wire."""

_GROUPS = ("international", "china", "local")
_FOLDER = Path(__file__).parent / "catalogue"


@lru_cache(maxsize=1)
def vendors() -> dict[str, Vendor]:
    """All vendors by id, in the order of the files."""
    found: dict[str, Vendor] = {}
    for group in _GROUPS:
        entries = tomllib.loads((_FOLDER / f"{group}.toml").read_text("utf-8"))
        for vendor_id, entry in entries.items():
            found[vendor_id] = Vendor.model_validate({"id": vendor_id, "group": group} | entry)
    return found


def vendor(vendor_id: str) -> Vendor:
    """The vendor of a model's `provider`; one that is not (or no longer) known counts as any
    OpenAI-compatible server."""
    known = vendors()
    return known.get(vendor_id) or known[ANY]


__all__ = ["ANY", "Offer", "Text", "Vendor", "vendor", "vendors"]
