"""One date in a text, Chinese or English, written out or counted from today."""

from datetime import date, datetime, timedelta

import regex

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"({'|'.join(_MONTHS)})[a-z]*\.?"
_FULL = regex.compile(r"(?<!\d)(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)")
_CHINESE = regex.compile(r"(?<!\d)(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]?")
_DAY_MONTH = regex.compile(
    rf"(?<!\w)(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+(\d{{4}}))?(?!\w)", regex.I
)
_MONTH_DAY = regex.compile(
    rf"(?<!\w){_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?(?!\w)", regex.I
)
_RELATIVE = (
    (regex.compile(r"大前天"), -3),
    (regex.compile(r"前天|day before yesterday", regex.I), -2),
    (regex.compile(r"昨天|昨日|yesterday", regex.I), -1),
    (regex.compile(r"大后天"), 3),
    (regex.compile(r"后天|day after tomorrow", regex.I), 2),
    (regex.compile(r"明天|明日|tomorrow", regex.I), 1),
    (regex.compile(r"今天|今日|today", regex.I), 0),
)
_AGO = regex.compile(r"(\d{1,3})\s*(?:天(?:之|以)?前|days?\s+ago)", regex.I)


def find_date(text: str, today: datetime) -> date | None:
    """The first date in the text; one without a year lies in the present one."""
    if (hit := _FULL.search(text)) is not None:
        return _day(int(hit[1]), int(hit[2]), int(hit[3]))
    if (hit := _CHINESE.search(text)) is not None:
        return _day(today.year, int(hit[1]), int(hit[2]))
    if (hit := _DAY_MONTH.search(text)) is not None:
        return _day(int(hit[3] or today.year), _month(hit[2]), int(hit[1]))
    if (hit := _MONTH_DAY.search(text)) is not None:
        return _day(int(hit[3] or today.year), _month(hit[1]), int(hit[2]))
    if (hit := _AGO.search(text)) is not None:
        return today.date() - timedelta(days=int(hit[1]))
    for pattern, days in _RELATIVE:
        if pattern.search(text):
            return today.date() + timedelta(days=days)
    return None


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].casefold()) + 1


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
