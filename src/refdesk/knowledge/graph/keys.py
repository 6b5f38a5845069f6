"""One name for all spellings of an entity: its key, and the id that follows from it."""

import re
from hashlib import blake2b
from uuid import UUID

from refdesk.knowledge.indexing import exact_codes, key_of

MAX_NAME_CHARS = 200
# `data-gateway`, `data_gateway` and `data gateway` are one name.
_JOINTS = re.compile(r"[\s_\-‐‑–·]+")
_AROUND = " \t\"'“”‘’「」『』《》〈〉【】()（）[],.;:，。；：、!?！？*`|"


def entity_key(name: str) -> str:
    """The one spelling of a name: case, width, traditional characters, spaces and hyphens do not matter.

    Empty for a name without letters or digits. A code has the spelling that search knows it by.
    """
    key = key_of(name.strip(_AROUND))
    codes = exact_codes(key)
    if len(codes) == 1 and not _JOINTS.sub("", key).replace(codes[0], ""):
        return codes[0]
    joined = _JOINTS.sub(" ", key).strip(_AROUND)[:MAX_NAME_CHARS]
    return joined if any(character.isalnum() for character in joined) else ""


def entity_id(key: str) -> UUID:
    """The id of the entity with this key: the same in every base (128 bits of BLAKE2b, RFC 7693)."""
    return UUID(bytes=blake2b(key.encode("utf-8", "replace"), digest_size=16).digest())
