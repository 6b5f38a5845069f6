# ruff: noqa: E501 — expressions read better whole
"""What of a sentence claims nothing: lead-ins, courtesies, questions, and "the documents do not say".

Only what is nothing but that is let through. A sentence that begins so and goes on to claim something leaves
the claim for the check; "does not include" is a claim unless the documents themselves are its subject.
"""

import re

from refdesk.chat.evidence.lexicon import stem
from refdesk.chat.evidence.words import analyse

_LEAD_IN = re.compile(
    r"^(?:(?:您|你)好|好的|当然(?:可以)?|是的|(?:非常|很)?抱歉|对不起|综上(?:所述)?|总之|总的来说|总而言之"
    r"|(?:根据|按照|依据)(?:以上|上述|所提供的|提供的|给出的|现有的?)?(?:资料|文档|内容|信息)"
    r"|(?:hi|hello|sure|of course|certainly|sorry|in summary|in short|to summari[sz]e|according to the (?:documents|sources))\b"
    r"|the (?:sources|documents) say(?: that)?\b)[\s，,、:：!！。.]*",
    re.IGNORECASE,
)
# Where a clause ends that says nothing and another may begin that does.
_TURN = re.compile(
    r"[，；;]\s*|(?<!^)(?=(?:但是?|不过|然而)[^，]{2})"
    r"|,?\s(?:but|however|yet|though|although|still|nevertheless)\b,?\s*"
    r"|,?\s(?:and|so|while|because|as)\s(?=(?:[\w-]+\s){0,4}?(?:is|are|was|were|has|have|can|may|must|will|do|does)\b)"
    r"|,\s(?=(?:[\w-]+\s){0,4}?(?:is|are|was|were|has|have|can|may|must|will)\b)|,\s(?=[^,]*\d)",
    re.IGNORECASE,
)
_DOCUMENTS_ZH = r"(?:资料|文档|知识库|来源|材料|上下文|原文)(?:之?[中里内]|本身)?"
_DOCUMENTS_EN = (
    r"(?:(?:the|these|this|your|our|my|any|provided|given|available|retrieved|local)\s)*"
    r"(?:documents?|documentation|sources?|knowledge bases?|(?:provided |given )(?:context|text|information|materials?))"
    r"(?:\s(?:provided|available|given|above|here))?"
)
_TELL_EN = r"(?:mention|specif|stat|contain|provid|includ|answer|say|describ|cover|explain|giv|address|found|find)\w*"
_NOT_THERE = re.compile(
    rf"^(?:虽然|尽管|但是?|不过|然而)?[^，；]{{0,20}}{_DOCUMENTS_ZH}(?:都|均|也|并|暂|尚|里)*(?:未|没有?|无法|不)(?:有|能|能够|明确|具体|直接|曾)*"
    r"(?:找到|提及|提到|说明|给出|包含|包括|涉及|查到|确定|回答|记载|写明|提供|指出|介绍)"
    r"|^(?:也|并|暂)?(?:未|没有?|无法)(?:能)?(?:找到|查到|检索到)(?:任何|与此)?相关"
    rf"|^(?:but |although |though |while |however,? )*{_DOCUMENTS_EN}\s(?:also )?(?:do(?:es)?|did)(?:\snot|n['’]t)\s(?:\w+ly )?{_TELL_EN}"
    rf"|^nothing (?:relevant |about [^,;]* )?(?:was |is )?(?:found|mentioned|said)\b.*\b{_DOCUMENTS_EN}"
    rf"|^(?:there is |i (?:found|have) )?no (?:information|mention|answer)\b.*\bin {_DOCUMENTS_EN}"
    rf"|^i (?:could not|couldn't|cannot|can't) (?:find|answer)\b.*\b{_DOCUMENTS_EN}"
    rf"|\b(?:not|n['’]t) {_TELL_EN} (?:in|by) {_DOCUMENTS_EN}\W*$",
    re.IGNORECASE,
)
# Once the documents were named, the next clause may go on without them.
_GOES_ON = re.compile(
    r"^(?:也|并|更)?(?:未|没有?|无法)(?:能|明确|具体)*(?:找到|提及|提到|说明|给出|查到|确定|回答|记载|写明)"
)
_TOPIC = re.compile(r"^(?:关于|至于|对于)")
_COURTESY = re.compile(
    r"^(?:希望|如有|如果(?:您|你)?(?:还)?有|欢迎|(?:很)?高兴|谢谢|感谢|以上(?:是|就是|内容)|以下(?:是|为)|下面"
    r"|i hope|hope (?:this|that)|let me know|feel free|here (?:is|are)|you're welcome|thank|please let|below (?:is|are))",
    re.IGNORECASE,
)
_COURTEOUS_ZH = re.compile(
    r"(?:希望|帮助|有所|问题|疑问|内容|信息|资料|文档|需要|联系|提问|咨询|进一步|了解|回答|解答|随时|继续|告诉|有用"
    r"|为|还有|还|这些|这|很|高兴|欢迎|谢谢|感谢|理解|其他|以上|以下|下面|整理|总结|服务|您|你|我|对|时|更多|任何|说明)+"
)
_COURTEOUS_EN = frozenset(
    stem(word)
    for word in [
        "hope",
        "help",
        "question",
        "ask",
        "know",
        "more",
        "further",
        "information",
        "anything",
        "else",
        "feel",
        "free",
        "let",
        "clear",
        "answer",
        "unclear",
        "contact",
        "assistance",
        "assist",
        "welcome",
        "thank",
        "please",
        "follow",
        "useful",
        "like",
        "summary",
        "relevant",
        "find",
    ]
)


def claim_of(sentence: str) -> str:
    """What the sentence claims; empty if it is nothing but talk or "not found"."""
    left = sentence
    while (lead := _LEAD_IN.match(left)) and lead.end():
        left = left[lead.end() :]
    if not left or _is_talk(left):
        return ""
    parts = [part for part in _TURN.split(left) if part and part.strip(" ,.。")]
    if not any(_NOT_THERE.search(part) for part in parts):
        return left
    claims: list[str] = []
    after_not_there = False
    for part in parts:
        if _NOT_THERE.search(part) or (after_not_there and _GOES_ON.search(part)):
            after_not_there = True
        elif not _TOPIC.search(part) and not _is_talk(part):
            claims.append(part)
    return ", ".join(claims)


def _is_talk(text: str) -> bool:
    """Courtesies, questions and announcements; whatever has figures or codes in it is not."""
    words = analyse(text)
    if words.numbers or words.codes:
        return False
    if not words.content or text.endswith(("?", "？")):
        return True
    if text.endswith((":", "：")) and len(text) < 80:
        return True
    return bool(_COURTESY.search(text)) and all(_is_courteous(word) for word in words.content)


def _is_courteous(word: str) -> bool:
    return word in _COURTEOUS_EN if word.isascii() else _COURTEOUS_ZH.fullmatch(word) is not None
