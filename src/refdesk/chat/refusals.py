"""Answers that say nothing was found: told apart from claims, and put in the one wording there is (A13).

A refusal is an answer like any other: the run is finished, not failed. Shared by every way of answering.
"""

import re

from refdesk.chat.emptiness import DEFAULT_REPLIES
from refdesk.chat.evidence.talk import claim_of
from refdesk.chat.language import Language
from refdesk.knowledge.splitting import sentences

_LONGEST = 200
_SAYS_NOTHING_FOUND = re.compile(
    r"(?:未|没有?|无法)(?:能)?(?:找到|检索到|查到|提及|记载|包含)|未提供"
    r"|\b(?:nothing (?:relevant )?(?:was |is )?found|no (?:relevant )?(?:information|mention|answer)"
    r"|(?:not|n't|cannot|could not) (?:find|found|mention\w*|contain\w*|say|state\w*))\b",
    re.IGNORECASE,
)


def is_refusal(answer: str) -> bool:
    """Whether the whole answer is that nothing was found."""
    plain = answer.strip()
    if not plain or len(plain) > _LONGEST or re.search(r"\[\d+\]", plain):
        return False
    parts = [plain[start:end] for start, end in sentences(plain)]
    return bool(_SAYS_NOTHING_FOUND.search(plain)) and not any(claim_of(part) for part in parts)


def exact_refusal(answer: str, language: Language) -> str | None:
    """The wording a refusal should have; None where it has it already, or is none."""
    wording = DEFAULT_REPLIES[language]
    if wording in answer or not is_refusal(answer):
        return None
    return wording + ("。" if language == "zh" else ".")
