"""What is known of a passage: of its document and of its own text, as found and as people say.

The keys are those that passages are routed and filtered by: `source_doc_id`, `doc_type`, `effective_date`,
`published_at`, `department`, `has_table`, `has_image`, `image_type`, `image_url`, `ocr_text` and
`confidence_score`. What people say of a paragraph is kept under `said` beside what reading its text brought,
and stays when the document is read again.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from sqlalchemy import ColumnElement, and_, func, literal, or_, type_coerce
from sqlalchemy.dialects.postgresql import JSONB

from refdesk.knowledge.errors import MetaInvalid
from refdesk.knowledge.metadata import checked_metadata, effective_metadata
from refdesk.knowledge.tables import Document, Paragraph

SAID = "said"
# Of a document; a paragraph has its document's unless people say otherwise.
OF_DOCUMENT = ("doc_type", "effective_date", "published_at", "department")
_FLAGS = ("has_table", "has_image", "has_code")
OF_PARAGRAPH = frozenset((*_FLAGS, "image_type", "image_url", "ocr_text", "confidence_score"))
# A picture whose text was read, and any other; `chart` and the like are for people to say.
SCAN, PICTURE = "scan", "picture"
MAX_BYTES = 64 * 1024


def passage_metadata(document: Document, meta: Mapping[str, Any]) -> dict[str, Any]:
    """All that holds of a paragraph with this `meta`; a key that nobody can know is left out.

    Text that was not recognised but read has the confidence 1.
    """
    of_document = effective_metadata(document.found_meta, document.meta)
    known: dict[str, Any] = {"source_doc_id": str(document.id)}
    known |= {key: of_document[key] for key in OF_DOCUMENT if key in of_document}
    known |= {"has_table": False, "has_image": False, "confidence_score": 1.0}
    found = {key: value for key, value in meta.items() if key != SAID}
    if found.get("ocr_text"):
        known |= {"has_image": True, "image_type": SCAN}
    elif found.get("has_image"):
        known["image_type"] = PICTURE
    merged = known | found | said_of(meta)
    return {key: value for key, value in merged.items() if value is not None}


def said_of(meta: Mapping[str, Any]) -> dict[str, Any]:
    """What people said of a paragraph."""
    return dict(meta.get(SAID) or {})


def with_said(meta: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """What reading brought, with what people say beside it."""
    found = {key: value for key, value in meta.items() if key != SAID}
    return {**found, SAID: dict(said)} if said else found


def checked_passage_metadata(said: Mapping[str, Any]) -> dict[str, Any]:
    """What a person says of a paragraph, known keys in their form; null hides. Raises `MetaInvalid`."""
    if "source_doc_id" in said or SAID in said:
        raise MetaInvalid(key="source_doc_id", expected="nothing: it is the document itself")
    checked = checked_metadata(said)
    for key, value in checked.items():
        expected = _CHECKS.get(key)
        if expected is not None and value is not None and not expected[0](value):
            raise MetaInvalid(key=key, expected=expected[1])
    return checked


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in cast("list[Any]", value))


_CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(_FLAGS, (_is_flag, "true or false")),
    "image_type": (_is_text, "text"),
    "ocr_text": (_is_text, "text"),
    "image_url": (_is_texts, "a list of texts"),
    "confidence_score": (_is_share, "a number from 0 to 1"),
}


def paragraphs_with(pairs: Sequence[tuple[str, str]]) -> ColumnElement[bool]:
    """In SQL: paragraphs of which all of these keys of `OF_PARAGRAPH`, or of people's own, hold.

    The value is compared as text; of a list one element must be equal.
    """
    said = func.coalesce(Paragraph.meta[SAID], literal({}, JSONB))
    merged = type_coerce(Paragraph.meta.op("||")(said), JSONB)
    return and_(*(_holds(merged, key, value) for key, value in pairs))


def _holds(merged: ColumnElement[Any], key: str, value: str) -> ColumnElement[bool]:
    stored = or_(merged[key].astext == value, merged[key].contains([value]))
    defaults: dict[str, ColumnElement[bool]] = {}
    if key in _FLAGS:
        has_text = merged.has_key("ocr_text") if key == "has_image" else None
        absent = ~merged.has_key(key)
        defaults["false"] = absent if has_text is None else and_(absent, ~has_text)
        if has_text is not None:
            defaults["true"] = and_(absent, has_text)
    elif key == "image_type":
        absent = ~merged.has_key(key)
        defaults[SCAN] = and_(absent, merged.has_key("ocr_text"))
        defaults[PICTURE] = and_(absent, merged["has_image"].astext == "true", ~merged.has_key("ocr_text"))
    elif key == "confidence_score":
        defaults["1"] = defaults["1.0"] = ~merged.has_key(key)
    default = defaults.get(value)
    # Where a list was never written there is NULL, which is not what `not` can be asked of.
    held = func.coalesce(stored, literal(False))
    return held if default is None else or_(held, default)
