"""Whether what was sent or typed continues what the conversation waits for, and with what.

A click sends a reply of its own; what is typed continues only if it can hardly be anything else: a number or
an ordinal, the name of an option, a yes or no, a value that looks like the one missing. All else is a new
question, so that nobody is caught in a form.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from refdesk.chat.pending.errors import FormClosed, ReplyInvalid
from refdesk.chat.pending.repository import Pending

_DIGITS = {c: n for n, c in enumerate("一二三四五六七八九", 1)} | {"两": 2}
_WORDS = {word: n for n, word in enumerate(("first", "second", "third", "fourth", "fifth", "sixth"), 1)} | {
    word: n for n, word in enumerate(("one", "two", "three", "four", "five", "six"), 1)
}
_LEAD = re.compile(
    r"^(我(是)?(说|指|问|要|想要|选)的?(是)?|就是?|是|选择?|要|那个|(i\s+(mean|meant|want|choose|pick))|it'?s)\s*",
    re.IGNORECASE,
)
_TAIL = re.compile(r"\s*(吧|的|啊|呀|那个|那一个|这个|please)$", re.IGNORECASE)
_NUMBER = re.compile(
    r"^(?:第|选项|number|no\.?|#|option)?\s*([1-9]|[一二两三四五六七八九])\s*(?:个|项|种|条|号)?\s*[.。、)）]?$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    r"^(?:the\s+)?(?:(first|second|third|fourth|fifth|sixth)(?:\s+(?:one|option))?"
    r"|(?:option|number)\s+(one|two|three|four|five|six))$",
    re.IGNORECASE,
)
_LAST = re.compile(r"^(?:最后一?[个项]|(?:the\s+)?last(?:\s+(?:one|option))?)$", re.IGNORECASE)
_YES = re.compile(
    r"yes|y|ok|okay|sure|approved?|confirm(ed)?|agreed?|go|goahead|doit|yesplease"
    r"|是的?|好的?|可以|同意|确认|确定|行|批准|嗯|对|执行"
)
_NO = re.compile(
    r"no|n|nope|cancel|stop|reject|deny|dont|donot|nothanks"
    r"|不|不是|不要|不用|不行|否|取消|拒绝|算了|不同意|别|停"
)
_ASKING = re.compile(
    r"[?？]|^(?:what|how|why|when|where|who|which|can|does|do|is|are|could|tell)\b"
    r"|怎么|怎样|如何|什么|为什么|为何|多少|哪|吗|呢|是否|能不能|可不可以",
    re.IGNORECASE,
)
_NUMERIC = re.compile(r"^[+-]?\d+(?:\.\d+)?$")
# A value that is typed alone: at most this long, and with a digit in it or only a few words.
MAX_VALUE_CHARS = 64
MAX_VALUE_WORDS = 4


@dataclass(frozen=True, slots=True)
class Resumed:
    """A reply that continues what was pending. Of `option`, `fields` and `approve` one is set, by its kind;
    `text` is what was typed, if anything was."""

    pending: Pending
    option: str | None = None
    fields: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())
    approve: bool | None = None
    text: str | None = None

    @property
    def question(self) -> str:
        """The question that goes on."""
        return self.pending.question

    def to_json(self) -> dict[str, Any]:
        return self.pending.to_json() | {
            "option": self.option,
            "fields": dict(self.fields),
            "approve": self.approve,
            "text": self.text,
        }

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "Resumed":
        return cls(
            Pending.of(stored), stored["option"], stored["fields"], stored["approve"], stored.get("text")
        )


def resume(pending: Pending | None, reply: Mapping[str, Any] | None, text: str | None) -> Resumed | None:
    """How a submission continues what is pending; None: it is a new question.

    `reply` is what a form sent (`{"option"}`, `{"fields"}` or `{"approve"}`, and the `run_id` of the run that
    asked where it is known). Raises `FormClosed` where nothing or something else is pending, `ReplyInvalid`
    where it does not fit.
    """
    if reply is None:
        return _typed(pending, text) if pending is not None and text else None
    if pending is None or (reply.get("run_id") and str(reply["run_id"]) != str(pending.run_id)):
        raise FormClosed
    return _sent(pending, reply, text)


def reply_text(resumed: Resumed, language: str) -> str:
    """What a reply without words is shown as in the conversation."""
    if resumed.pending.kind == "guidance":
        return next(
            (str(o["label"]) for o in _options(resumed.pending) if o["value"] == resumed.option),
            resumed.option or "",
        )
    if resumed.pending.kind == "approval":
        yes, no = ("同意", "不同意") if language == "zh" else ("Yes, go ahead", "No, do not")
        return yes if resumed.approve else no
    labels = {str(f["name"]): str(f.get("label") or f["name"]) for f in _fields(resumed.pending)}
    colon, comma = ("：", "，") if language == "zh" else (": ", ", ")
    return comma.join(f"{labels.get(name, name)}{colon}{value}" for name, value in resumed.fields.items())


def typed_value(field: Mapping[str, Any], text: str) -> Any | None:
    """What was typed as the value of one field, or None where it looks like something else."""
    text = text.strip()
    allowed = cast("Sequence[Any] | None", field.get("enum"))
    if allowed:
        return next((value for value in allowed if _plain(str(value)) == _plain(text)), None)
    kind = field.get("type", "string")
    if kind in ("integer", "number"):
        return text if _NUMERIC.match(unicodedata.normalize("NFKC", text).replace(",", "")) else None
    if kind == "boolean":
        return _agreement(text)
    if not text or len(text) > MAX_VALUE_CHARS or _ASKING.search(text):
        return None
    short = len(text.split()) <= MAX_VALUE_WORDS and len(text) <= MAX_VALUE_CHARS // 2
    return text if short else None


def _sent(pending: Pending, reply: Mapping[str, Any], text: str | None) -> Resumed:
    if pending.kind == "guidance":
        option = reply.get("option")
        if option not in [one["value"] for one in _options(pending)]:
            raise ReplyInvalid(options=[str(one["value"]) for one in _options(pending)])
        return Resumed(pending, option=str(option), text=text)
    if pending.kind == "approval":
        if not isinstance(reply.get("approve"), bool):
            raise ReplyInvalid(expected="approve")
        return Resumed(pending, approve=reply["approve"], text=text)
    values: Any = reply.get("fields")
    known = {str(one["name"]): one for one in _fields(pending)}
    if not isinstance(values, Mapping):
        raise ReplyInvalid(expected="fields")
    values = cast("Mapping[str, Any]", values)
    missing = [name for name, one in known.items() if one.get("required") and values.get(name) in (None, "")]
    if missing or not values.keys() <= known.keys():
        raise ReplyInvalid(missing=missing, unknown=sorted(values.keys() - known.keys()))
    given = {name: value for name, value in values.items() if value not in (None, "")}
    return Resumed(pending, fields=given, text=text)


def _typed(pending: Pending, text: str) -> Resumed | None:
    if pending.kind == "guidance":
        option = _chosen(_options(pending), text)
        return Resumed(pending, option=option, text=text) if option is not None else None
    if pending.kind == "approval":
        agreed = _agreement(text)
        return Resumed(pending, approve=agreed, text=text) if agreed is not None else None
    required = [one for one in _fields(pending) if one.get("required")]
    wanted = required or _fields(pending)
    if len(wanted) != 1:
        return None
    value = typed_value(wanted[0], _without_label(wanted[0], text))
    return Resumed(pending, fields={str(wanted[0]["name"]): value}, text=text) if value is not None else None


def _chosen(options: Sequence[Mapping[str, Any]], text: str) -> str | None:
    told = unicodedata.normalize("NFKC", text).strip().rstrip("。.!！ ")
    bare = _TAIL.sub("", _LEAD.sub("", told)).strip()
    # The name first: an option may be called "2".
    for candidate in (told, bare):
        named = [str(one["value"]) for one in options if _plain(str(one["label"])) == _plain(candidate)]
        if len(named) == 1:
            return named[0]
    number = _place(told, len(options)) or _place(bare, len(options))
    if number is not None:
        return str(options[number - 1]["value"]) if number <= len(options) else None
    plain = _plain(bare)
    if len(plain) < 2 or _ASKING.search(told):
        return None
    within = [str(one["value"]) for one in options if plain in _plain(str(one["label"]))]
    return within[0] if len(within) == 1 else None


def _place(text: str, count: int) -> int | None:
    if _LAST.match(text):
        return count
    if found := _NUMBER.match(text):
        return int(found[1]) if found[1].isdigit() else _DIGITS[found[1]]
    if found := _ORDINAL.match(text):
        return _WORDS[(found[1] or found[2]).lower()]
    return None


def _agreement(text: str) -> bool | None:
    plain = _plain(text)
    return True if _YES.fullmatch(plain) else False if _NO.fullmatch(plain) else None


def _without_label(field: Mapping[str, Any], text: str) -> str:
    """`order number: 123` and `订单号是123` are 123."""
    for label in {str(field.get("label") or ""), str(field["name"])} - {""}:
        found = re.match(
            rf"^(?:my |the |我的)?{re.escape(label)}(?:\s*(?:is\b|[:：=是为])\s*|\s+)(.+)$",
            text.strip(),
            re.I,
        )
        if found:
            return found[1]
    return text


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in folded if c.isalnum())


def _options(pending: Pending) -> list[dict[str, Any]]:
    return list(pending.state.get("options", ()))


def _fields(pending: Pending) -> list[dict[str, Any]]:
    return list(pending.state.get("fields", ()))
