# ruff: noqa: E501 — expressions read better whole
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
    r"|(?:not|n't|cannot|could not) (?:find|found|answer|mention\w*|contain\w*|say|state\w*|provid\w*|cover\w*))\b",
    re.IGNORECASE,
)
# What a program does then is told, not that nothing was found now.
_CONDITION = re.compile(
    r"(?:^|[，,。；;])(?:若|如|如果|假如|当|一旦)[^，。]*(?:找到|检索到|查到)|(?:内容|信息|结果|资料|文档)(?:时|的话|后)"
    r"|\b(?:if|when|whenever|unless)\b[^.]*\b(?:found|find)\b",
    re.IGNORECASE,
)

# Clauses that say so by themselves. Each is matched whole: "未找到相关内容时返回 404" tells of a program.
_PLACE_ZH = (
    r"(?:(?:本地|现有|已有|当前|目前|提供|给出|以上|上述|所选|您|的)*"
    r"(?:知识库|文档|资料|材料|上下文|来源|检索结果|搜索结果)(?:之?[中里内]|本身)?)"
)
_ABOUT_ZH = r"(?:(?:与|和|跟|有关|关于)[^，；]{1,40}?(?:相关|有关|匹配)?的?)"
_THING_ZH = (
    r"(?:(?:任何|相关|有关|匹配|对应|符合|可用|[这此该]方面)的?)*"
    r"(?:内容|信息|资料|文档|记载|说明|答案|结果|记录|描述|条目|段落|介绍)"
)
_WANTED_ZH = rf"(?:任何)?(?:{_ABOUT_ZH}{_THING_ZH}|(?:任何|相关|有关|匹配|对应|符合|可用|[这此该]方面)的?{_THING_ZH}|答案)"
_LEAD_ZH = rf"(?:我|我们|经(?:过)?(?:检索|查询|查找)|[在从]?{_PLACE_ZH}(?:均|也|都)?)*"
_VERB_ZH = r"(?:找到|检索到|查到|查询到|查找到|搜到|搜索到|发现|提及|包含|收录|提供)"
_CLAUSE_ZH = re.compile(
    rf"{_LEAD_ZH}(?:(?:目前|暂|并|尚|也)*(?:未|没有?|无法|未能|没能)(?:能够?)?(?:[在从]{_PLACE_ZH})?{_VERB_ZH}{_WANTED_ZH}"
    rf"|(?:找|查|搜索|检索|查询)不到{_WANTED_ZH}"
    rf"|(?:目前|暂时)?(?:没有|暂无|并无|不存在|缺少|缺乏){_WANTED_ZH})"
    rf"|{_PLACE_ZH}(?:为空|不足(?:以回答(?:[该此这]个?|您的)?问题)?)"
)
_UNANSWERED_ZH = (
    r"(?:所以|因此|故)?(?:我)?(?:暂时)?(?:无法|不能)(?:回答|作答|确定)(?:(?:[该此这]个?|您的?)?问题)?"
)
_BESIDE_ZH = re.compile(
    rf"(?:(?:很|非常|十分)?抱歉|对不起|不好意思|(?:根据|按照|依据){_PLACE_ZH}|{_UNANSWERED_ZH}"
    r"|(?:请|建议|您?可以|可)(?:您|尝试|考虑)*(?:换|更换|补充|联系|咨询|提供|重新|上传|查阅|检查)[^\d]{0,30})"
)
_UNANSWERED_BY_PLACE_ZH = re.compile(rf"(?:根据|按照|依据){_PLACE_ZH}[，,]?{_UNANSWERED_ZH}")

_PLACE_EN = (
    r"(?:(?:the|these|this|your|our|my|any|provided|given|available|retrieved|local|selected|search)\s)*"
    r"(?:documents?|documentation|sources?|knowledge bases?|contexts?|materials?|passages?|results)"
    r"(?:\s(?:provided|available|given))?"
)
_ABOUT_EN = r"(?: (?:about|on|for|regarding|concerning|(?:related|relating|relevant) to|matching|to answer) [^,;:]{1,80}?)"
_NOUN_EN = r"(?:contents?|information|documents?|results?|passages?|matches|answers?|material|details?|sources?|entries|data)"
_RELEVANT_EN = rf"(?:any )?(?:(?:relevant|related|matching|such|specific|suitable) )+{_NOUN_EN}"
_WANTED_EN = rf"(?:{_RELEVANT_EN}|(?:any )?{_NOUN_EN}(?={_ABOUT_EN}|$| in {_PLACE_EN}))"
_THERE_EN = rf"(?: (?:in|within|from|by searching) {_PLACE_EN})"
_FOUND_EN = r"(?: (?:was|were|is|are|could be|has been|have been))? (?:found|available|retrieved|returned)"
_WHERE_EN = rf"{_THERE_EN}?{_ABOUT_EN}?{_THERE_EN}?"
_CLAUSE_EN = re.compile(
    rf"no (?:{_RELEVANT_EN}|information|answers?|results?|mention){_WHERE_EN}{_FOUND_EN}{_WHERE_EN}"
    rf"|there (?:is|are|was|were) no (?:{_RELEVANT_EN}{_WHERE_EN}|{_NOUN_EN}{_ABOUT_EN}?{_THERE_EN})"
    rf"|nothing (?:relevant )?{_ABOUT_EN}?(?:was |is )?found{_WHERE_EN}"
    rf"|(?:i|we)(?: have|'ve)? found (?:nothing(?: relevant)?|no {_WANTED_EN}){_WHERE_EN}"
    rf"|(?:(?:i|we) (?:could not|couldn['’]t|cannot|can['’]t|did not|didn['’]t|(?:was|am|were|are) (?:unable|not able) to)|unable to)"
    rf" (?:find|locate) (?:anything(?: relevant)?|{_WANTED_EN}|(?:an|the) answer){_WHERE_EN}"
    rf"|{_PLACE_EN} (?:contains?|has|have|holds?|provides?|includes?|gives?) no {_WANTED_EN}{_ABOUT_EN}?"
    rf"|(?:the|my) search (?:returned|gave|found|yielded) (?:nothing|no (?:relevant |matching )?results){_ABOUT_EN}?"
    rf"|(?:i|we) (?:do not|don['’]t) have (?:any|enough|sufficient) (?:relevant )?information{_WHERE_EN}"
    rf"|there is (?:not enough|insufficient) information{_WHERE_EN}",
    re.IGNORECASE,
)
_LEAD_EN = re.compile(
    rf"(?:(?:(?:i['’]m|i am|we are) )?(?:very )?sorry,? (?:but )?|unfortunately,? |(?:based on|according to) {_PLACE_EN},? )+",
    re.IGNORECASE,
)
_BESIDE_EN = re.compile(
    r"please (?:try|rephrase|provide|contact|check|consult|upload)\b[^\d]{0,60}", re.IGNORECASE
)


def is_refusal(answer: str) -> bool:
    """Whether the whole answer is that nothing was found."""
    plain = answer.strip()
    if not plain or len(plain) > _LONGEST or re.search(r"\[\d+\]", plain):
        return False
    if _CONDITION.search(plain):
        return False
    parts = [plain[start:end].strip().rstrip(" .。!！") for start, end in sentences(plain)]
    if not all(not claim_of(part) or _is_beside(part) or _says_so(part) for part in parts):
        return False
    return any(_says_so(part) for part in parts) or bool(_SAYS_NOTHING_FOUND.search(plain))


def _says_so(sentence: str) -> bool:
    """Whether the sentence says that nothing was found, and nothing else."""
    english = _LEAD_EN.sub("", sentence, count=1) if _LEAD_EN.match(sentence) else sentence
    if _CLAUSE_EN.fullmatch(english) or _UNANSWERED_BY_PLACE_ZH.fullmatch(sentence):
        return True
    clauses = [one.strip() for one in re.split(r"[，,；;]", sentence) if one.strip()]
    said = [_CLAUSE_ZH.fullmatch(one) is not None for one in clauses]
    return any(said) and all(
        so or _BESIDE_ZH.fullmatch(one) is not None for so, one in zip(said, clauses, strict=True)
    )


def _is_beside(sentence: str) -> bool:
    """Whether it is only what people say with it: an apology, another way to ask."""
    clauses = [one.strip() for one in re.split(r"[，,；;]", sentence) if one.strip()]
    return all(_BESIDE_ZH.fullmatch(one) or _BESIDE_EN.fullmatch(one) for one in clauses)


def exact_refusal(answer: str, language: Language) -> str | None:
    """The wording a refusal should have; None where it has it already, or is none."""
    wording = DEFAULT_REPLIES[language]
    if wording in answer or not is_refusal(answer):
        return None
    return wording + ("。" if language == "zh" else ".")
