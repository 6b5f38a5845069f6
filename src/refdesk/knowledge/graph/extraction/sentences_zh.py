"""Relations in Chinese sentences: a subject, a verb that means one of the kinds, and its objects."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import rjieba

from refdesk.knowledge.graph.extraction.facts import MAX_LABEL_CHARS, Fact
from refdesk.knowledge.graph.extraction.names import is_code, is_value, name_of

# The clause's subject, without what only places it in time or tempers it.
_TEMPER = (
    r"(?:自[^，。；]{1,16}?起|通过[^，。；]{1,10}|从[^，。；]{1,16}?(?:起|开始)|在[^，。；]{1,12}?(?:前|后|时|之前|之后|中|里|上)"
    r"|目前|现已|已经|已|现|也|仍然|仍|还|均|都|同样|仅|只|将|会|可以|可|能够|能|默认|主要|同时|必须|需要|需|应|应当|先|一般|通常|全部|完全)*"
)
_LEAD = re.compile(
    r"^(?:\d{4}\s?年(?:\d{1,2}\s?月)?(?:起|底|初)?|目前|其中|另外|此外|同时|因此|所以|但是|但|而且|而|并且|并|且"
    r"|如果|若|当|由于|因为|自从|为此|注意|出现|看到|遇到|显示)[，,\s]*"
)
_OBJECT = r"(?P<object>[^，。；！？：;!?\n]{1,40})"

_PART = "(?:组成部分|一部分|组件|子系统|子模块|模块)"
_EQUALS = "(?:设置为|设定为|调整为|约为|約為|不超过|为|為|是|达到|達到|达)"
_USUALLY = "(?:一般|通常|默认|目前|应)?"
_SHORT_FOR = "(?:简称|簡稱|又称|又稱|也称|也稱|亦称|又名|也叫|别名|英文简称|缩写)(?:为|是)?"
_VERBS: tuple[tuple[str, str, bool], ...] = (
    # kind, words, whether the relation runs from the object to the subject
    ("depends_on", r"依赖于?|依賴於?|依托|基于|基於|连上|連上|要求安装|需要", False),
    ("supports", r"支持|支援|兼容|适配|適配|适用于|適用於", False),
    (
        "part_of",
        r"属于|屬於|隶属于|隸屬於|归属于|是(?=[^，。]{1,20}的(?:组成部分|一部分|组件|子系统|子模块|模块))",
        False,
    ),
    ("part_of", r"包含|包括|由(?=[^，。；]{2,40}(?:组成|构成))|集成了|内置了?", True),
    ("uses", r"采用了?|採用了?|使用了?|选用了?|選用了?|搭载了?|搭載了?", False),
    ("connects_to", r"连接到?|連接到?|接入到?|对接了?|對接了?|直连", False),
    ("replaces", r"取代了?|替代了?|替换了?|代替了?", False),
    ("causes", r"导致|導致|引起|引发|引發|造成", False),
    ("means", r"表示|代表|意味着|指的是", False),
    ("provides", r"提供了?|输出", False),
    ("located_in", r"位于|位於|安装在|安裝在|部署在|运行在|運行在", False),
)
_PASSIVE: tuple[tuple[str, str, bool], ...] = (
    ("made_by", r"研发|开发|生产|制造|出品|设计", False),
    ("managed_by", r"负责|维护|管理|运营", False),
    ("replaces", r"取代|替代|代替", True),
)
_ACTIVE = [(kind, back, re.compile(rf"(?P<verb>{words}){_OBJECT}")) for kind, words, back in _VERBS]
_BY = [
    (kind, back, re.compile(rf"(?:由|被)(?P<object>[^，。；由被]{{2,24}}?)(?P<verb>{words})(?=$|[，。；的])"))
    for kind, words, back in _PASSIVE
]
_ATTRIBUTE = re.compile(
    rf"^(?P<source>[^，。；：的]{{1,30}})的(?P<label>[^，。；：的]{{1,14}}?){_USUALLY}{_EQUALS}"
    r"\s*(?P<value>[^，。；！？]{1,40})$"
)
_OWN_ATTRIBUTE = re.compile(
    rf"^(?P<label>[^，。；：的]{{2,14}}?){_USUALLY}{_EQUALS}\s*(?P<value>[^，。；！？]{{1,40}})$"
)
_ALIAS = re.compile(
    r"(?P<name>[^，。；：（）()\s][^，。；：（）()]{1,24}?)\s*[（(]\s*"
    rf"(?:以下|下文|后文)?{_SHORT_FOR}[：:]?\s*"
    r"[“\"「]?(?P<alias>[^，。；（）()”\"」]{1,24})[”\"」]?\s*[)）]"
)
_ALSO = re.compile(
    rf"^(?P<name>[^，。；：]{{2,24}}?)(?:，)?{_SHORT_FOR}[“\"「]?(?P<alias>[^，。；”\"」]{{2,24}})"
)
_CODE_MEANS = re.compile(
    r"(?P<code>[A-Za-z][A-Za-z0-9]*[-_]?\d[\w-]*)[^，。；]{0,8}?(?:，\s*)?"
    r"(?:说明|表示|代表|意味着|是指|指)\s*(?P<meaning>[^，。；！？\n]{3,60})"
)
# Stands for the subject of the sentence.
_IT = frozenset(("它", "其", "它们"))
_JOINING = frozenset(("以及", "和", "与", "及", "、", "或者", "或", "并且", "并", "與", "跟"))
_TAIL = re.compile(rf"(?:等(?:等)?(?:多种)?(?:[\u4e00-\u9fff]{{0,4}})?|之上|上|中|的{_PART}|(?:组成|构成))$")
_OLD = re.compile(r"^(?:旧|老|原有|原来|以前|现有)的")
_CLAUSE = re.compile(r"[^，；]+")
_SENTENCE = re.compile(r"[^。！？!?\n]+")
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(slots=True)
class _Sentence:
    """What is known of a sentence while its clauses are read."""

    start: int
    end: int
    subject: str | None = None


def facts_of_chinese(text: str) -> Iterator[Fact]:
    """All relations in the Chinese sentences of a text."""
    for match in _SENTENCE.finditer(text):
        if not _HAN.search(match.group()):
            continue
        lead = len(match.group()) - len(match.group().lstrip())
        sentence = _Sentence(match.start() + lead, match.end())
        yield from _of_sentence(match.group(), sentence)


def _of_sentence(text: str, sentence: _Sentence) -> Iterator[Fact]:
    for match in _ALIAS.finditer(text):
        name, alias = _subject(match["name"]), name_of(match["alias"])
        if name and alias:
            yield _fact(sentence, name, "alias", "", alias)
    text = re.sub(r"[（(][^（）()]{0,60}[)）]", "", text)
    for match in _CODE_MEANS.finditer(text):
        if is_code(match["code"]):
            yield _fact(sentence, match["code"], "means", "", match["meaning"].strip(), is_value=True)
    for match in _CLAUSE.finditer(text):
        yield from _of_clause(match.group().strip(), sentence)


def _of_clause(clause: str, sentence: _Sentence) -> Iterator[Fact]:
    clause = _LEAD.sub("", clause)
    if (match := _ALSO.match(clause)) is not None:
        name, alias = _subject(match["name"]), name_of(match["alias"])
        if name and alias:
            yield _fact(sentence, name, "alias", "", alias)
            sentence.subject = name
            return
    found = list(_attributes(clause, sentence))
    if not found:
        found = [*_passive(clause, sentence), *_active(clause, sentence)]
    if not found and sentence.subject is None:
        sentence.subject = _first_noun(clause)
    yield from found


def _attributes(clause: str, sentence: _Sentence) -> Iterator[Fact]:
    match = _ATTRIBUTE.match(clause)
    if match is not None:
        source, value = _subject(match["source"]), match["value"].strip()
        if source is not None and name_of(match["label"]) and (is_value(value) or is_code(value)):
            sentence.subject = source
            yield _fact(
                sentence, source, "attribute", match["label"].strip(), value, is_value=is_value(value)
            )
        return
    match = _OWN_ATTRIBUTE.match(clause)
    if match is None or sentence.subject is None:
        return
    label, value = match["label"].strip(), match["value"].strip()
    if is_value(value) and name_of(label):
        yield _fact(sentence, sentence.subject, "attribute", label, value, is_value=True)


def _active(clause: str, sentence: _Sentence) -> Iterator[Fact]:
    for kind, back, pattern in _ACTIVE:
        match = pattern.search(clause)
        if match is None:
            continue
        before = clause[: match.start()].rstrip()
        if kind == "means" and any(is_code(word) for word in before.split()):
            continue  # told by `_CODE_MEANS` already, whatever stands around the code
        if before.endswith(("不", "未", "没有", "无法", "无需", "不再", "不能", "的", "暂不", "是否")):
            continue
        if before in _IT:
            before = ""
        source = _subject(before) if before else sentence.subject
        if source is None and before:
            stripped = re.sub(rf"{_TEMPER}$", "", before).strip()
            if stripped:
                return  # a subject that names nothing: what follows is not of the sentence's one either
            source = sentence.subject
        if source is None:
            continue
        sentence.subject = source
        for target in _objects(match["object"]):
            first, second = (target, source) if back else (source, target)
            yield _fact(sentence, first, kind, match["verb"], second)
        return


def _passive(clause: str, sentence: _Sentence) -> Iterator[Fact]:
    for kind, back, pattern in _BY:
        match = pattern.search(clause)
        if match is None:
            continue
        before = clause[: match.start()].rstrip()
        source = _subject(before) if before else sentence.subject
        target = name_of(match["object"])
        if source is None or target is None:
            continue
        sentence.subject = source
        first, second = (target, source) if back else (source, target)
        yield _fact(sentence, first, kind, match["verb"], second)
        return


def _subject(raw: str) -> str | None:
    """The name that the words before a verb are, without what tempers the verb."""
    words = re.sub(rf"{_TEMPER}$", "", _LEAD.sub("", raw.strip())).strip()
    return name_of(words) if words else None


def _first_noun(clause: str) -> str | None:
    """The subject of a clause that tells no relation, for those after it: the name before its `在`, `的`."""
    words = re.split(r"在|的|会|可|将|已|，", clause, maxsplit=1)[0].strip()
    return name_of(words) if words != clause and len(words) > 1 else None


def _objects(raw: str) -> Iterator[str]:
    for part in _parts(raw.strip()):
        bare = _OLD.sub("", _TAIL.sub("", part.strip()).strip())
        name = name_of(bare)
        if name is not None and not is_value(name):
            yield name


def _parts(text: str) -> Iterator[str]:
    """What is joined by `和`, `、` and the like; those within a word, as in 共和国, join nothing."""
    part = ""
    for word in rjieba.cut(text, False):
        if word in _JOINING:
            yield part
            part = ""
        else:
            part += word
    yield part


def _fact(
    sentence: _Sentence, source: str, kind: str, label: str, target: str, *, is_value: bool = False
) -> Fact:
    return Fact(source, kind, label[:MAX_LABEL_CHARS], target, sentence.start, sentence.end, is_value)
