"""Fifty rules in two versions each, half of them in Chinese: what a search for the newest is measured by.

The old version is nearer to the words of the question, so that words alone prefer it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

_SUBJECTS = [
    ("差旅住宿标准", "travel lodging limit"),
    ("年假天数", "annual leave"),
    ("加班餐补", "overtime meal allowance"),
    ("退货期限", "return period"),
    ("密码有效期", "password lifetime"),
]
_CITIES = [
    ("上海", "Shanghai"),
    ("成都", "Chengdu"),
    ("武汉", "Wuhan"),
    ("深圳", "Shenzhen"),
    ("西安", "Xian"),
]
_QUESTIONS = ("目前{city}{subject}是多少", "What is the current {subject} in {city}?")
_OLD = (
    "{city}{subject}目前为 {old}，由部门经理批准，每月核对一次。",
    "The current {subject} in {city} is {old}, approved by the manager every month.",
)
_NEW = (
    "{city}{subject}调整为 {new}，由部门经理批准，每月核对一次，另行通知除外。",
    "The {subject} in {city} was set to {new}, approved by the manager each month.",
)


@dataclass(frozen=True, slots=True)
class RuleVersions:
    """A question for what holds now, both versions of its rule, and when each took effect."""

    question: str
    old: str
    new: str
    old_date: str
    new_date: str


def rule_versions() -> Iterator[RuleVersions]:
    """The pairs, always the same."""
    places = [(subject, city) for subject in _SUBJECTS for city in _CITIES]
    for number, (subject, city) in enumerate(places):
        for language in (0, 1):
            words = {
                "subject": subject[language],
                "city": city[language],
                "old": number + 3,
                "new": number + 60,
            }
            yield RuleVersions(
                question=_QUESTIONS[language].format_map(words),
                old=_OLD[language].format_map(words),
                new=_NEW[language].format_map(words),
                old_date="2019-05-01",
                new_date=f"2024-0{number % 9 + 1}-15",
            )
