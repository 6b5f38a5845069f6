"""Dates that files state about themselves, as ISO 8601 text, in whatever form the file writes them.

Owns the forms (ISO, PDF, mail, EXIF, English and Chinese words) and the names under which dates stand in
metadata. Must not guess: `01/02/2024` is two days, depending on where one lives, and so none.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from refdesk.knowledge.parsing.blocks import Parsed, ParseWarning

DATE_NAMES = {
    "effective_date": ("effective_date", "effective date", "effective", "生效日期", "生效时间"),
    "published_at": ("published_at", "published", "publish_date", "publication date", "date", "发布日期"),
    "created": ("created", "created_at", "creationdate", "creation date", "创建时间"),
    "modified": ("modified", "modified_at", "moddate", "last_modified", "updated", "修改时间"),
}
_NAMES = frozenset(name for names in DATE_NAMES.values() for name in names)
_DAY = re.compile(
    r"(\d{4})\s*[-/.:年]\s*(\d{1,2})\s*[-/.:月]\s*(\d{1,2})\s*日?"
    r"(?:[T\s]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?"
)
# PDF 1.7, 7.9.4: (D:YYYYMMDDHHmmSSOHH'mm'); some writers leave the mark out.
_PDF_DATE = re.compile(
    r"(?:D:|(?=\d{14}))(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:([Z+-])(\d{2})?'?(\d{2})?'?)?"
)
# RFC 5322, and what C's asctime writes.
_MAIL_DATE = re.compile(
    r"(?:[A-Za-z]{3,9},?\s+)?(?:\d{1,2}[\s-][A-Za-z]{3}|[A-Za-z]{3}\s+\d{1,2})[\s-].*:\d\d"
)
_WORDS = re.compile(
    r"(?:[A-Za-z]+,\s*)?(?:(\d{1,2})(?:st|nd|rd|th)?\s+)?([A-Za-z]{3,9})\.?\s+"
    r"(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# A year or a month, which is all that many books say.
_REDUCED = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2]))?")
_SHOWN = 80


def iso_date(value: Any) -> str | None:
    """A day or a moment as ISO 8601 text; None for what is none."""
    if not isinstance(value, str) or not value.strip():
        return None
    value = value.strip()
    try:
        written = _DAY.fullmatch(value)
        if written:
            return _moment(written)
        pdf = _PDF_DATE.match(value)
        if pdf:
            return _pdf_moment(pdf)
        words = _WORDS.fullmatch(value)
        if words:
            return _day_in_words(words)
        if _MAIL_DATE.match(value):
            sent = parsedate_to_datetime(value)
            return (sent if sent.tzinfo else sent.replace(tzinfo=UTC)).isoformat()
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment.isoformat() if len(value) > 10 else moment.date().isoformat()


def with_iso_dates(parsed: Parsed) -> Parsed:
    """The file with the dates of its metadata in one form; what is no date goes, and a warning says so."""
    meta, unread = _iso_dates(parsed.meta)
    warnings = tuple(
        ParseWarning(
            "date-unreadable",
            f"What the file says under “{name}” is no date and was left out: {value}",
            None,
            {"field": name, "value": value},
        )
        for name, value in unread.items()
    )
    return replace(parsed, meta=meta, warnings=(*parsed.warnings, *warnings))


def _iso_dates(meta: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    kept: dict[str, Any] = {}
    unread: dict[str, str] = {}
    for name, value in meta.items():
        if name.strip().lower() not in _NAMES:
            kept[name] = value
            continue
        found = iso_date(value)
        if found is None and isinstance(value, str) and _REDUCED.fullmatch(value.strip()):
            found = value.strip()
        if found is not None:
            kept[name] = found
        elif value:
            unread[name] = str(value)[:_SHOWN]
    return kept, unread


def _moment(found: re.Match[str]) -> str:
    day = date(int(found[1]), int(found[2]), int(found[3]))
    if not found[4]:
        return day.isoformat()
    clock = f"{int(found[4]):02}:{found[5]}:{found[6] or '00'}"
    zone = found[7] or ""
    if zone in ("Z", "UTC", "GMT"):
        zone = "+00:00"
    return datetime.fromisoformat(f"{day.isoformat()}T{clock}{zone}").isoformat()


def _pdf_moment(found: re.Match[str]) -> str:
    year, month, day, hour, minute, second = (int(part) if part else 0 for part in found.groups()[:6])
    moment = datetime(year, month or 1, day or 1, hour, minute, second, tzinfo=UTC)
    sign, hours, minutes = found.group(7), found.group(8), found.group(9)
    if sign in ("+", "-"):
        zone = f"{sign}{hours or '00'}:{minutes or '00'}"
        return datetime.fromisoformat(moment.strftime("%Y-%m-%dT%H:%M:%S") + zone).isoformat()
    return moment.isoformat()


def _day_in_words(found: re.Match[str]) -> str | None:
    month, day = found[2][:3].lower(), found[1] or found[3]
    if month not in _MONTHS or not day or (found[1] and found[3]):
        return None
    return date(int(found[4]), _MONTHS.index(month) + 1, int(day)).isoformat()
