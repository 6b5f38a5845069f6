"""Stage `guidance`: asking back where a question can mean several things by name.

A person is asked only where the answer would differ: intents of one name in two domains, tools that fit
alike, documents of one name. The choice is state of the conversation (`pending`), so that "1" goes on from
there.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.chat.context import RunContext
from refdesk.chat.intents import AskedIntents, Intent, IntentKind, IntentOutcome
from refdesk.chat.language import Language
from refdesk.chat.pending import Pending
from refdesk.knowledge import Document, DocumentRepository, KnowledgeBase, KnowledgeBaseRepository

MOST_OPTIONS = 6
# Two tools are alike where the second comes this close to the first.
ALIKE = 0.85

_MARKED = re.compile('《([^《》]{1,200})》|“([^“”]{1,200})”|"([^"]{1,200})"|「([^「」]{1,200})」')
_FILES = re.compile(r"[\w-]+\.(?:pdf|docx?|xlsx?|pptx?|md|txt|html?|csv|epub|rtf|odt)\b", re.IGNORECASE)

_TITLES: dict[Language, str] = {"zh": "请选择", "en": "Please choose"}
_TEXTS: dict[Language, str] = {
    "zh": "“{question}”可能指以下几项，您想问的是哪一项？回复序号或名称即可。",
    "en": "“{question}” may mean one of these. Which one? Answer with its number or its name.",
}


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """What to ask: of which sub-question, and the options as the form and the pending state hold them."""

    index: int
    options: tuple[dict[str, Any], ...]


async def ask_back(context: RunContext, outcome: IntentOutcome, detail: dict[str, Any] | None = None) -> bool:
    """Ask what is meant, if that is not clear; then the run ends with a form. Raises database faults."""
    found = ambiguity_of(outcome) or await _documents_alike(context, outcome)
    if found is None:
        return False
    question = outcome.asked[found.index].question
    text = _TEXTS[context.language].format(question=question)
    options = [
        {name: one[name] for name in ("value", "label", "description") if name in one}
        for one in found.options
    ]
    state = {
        "options": list(found.options),
        "index": found.index,
        "asked": [_kept(one) for one in outcome.asked],
    }
    await context.pending.put(Pending(context.run_id, "guidance", context.question, state))
    lines = [
        f"{n}. {one['label']}"
        + (f"（{d}）" if (d := one.get("description")) and context.language == "zh" else "")
        + (f" ({d})" if d and context.language == "en" else "")
        for n, one in enumerate(options, 1)
    ]
    context.recorder.form(
        {"kind": "guidance", "title": _TITLES[context.language], "text": text, "options": options}
    )
    context.recorder.delta("\n".join([text, "", *lines]))
    if detail is not None:
        detail |= {"question": question, "options": [one["label"] for one in options]}
    return True


def ambiguity_of(outcome: IntentOutcome) -> Ambiguity | None:
    """The first sub-question that can mean several things."""
    for index, asked in enumerate(outcome.asked):
        if asked.settled:
            continue
        if options := _same_name(asked) or _tools_alike(asked):
            return Ambiguity(index, tuple(_option(one) for one in options[:MOST_OPTIONS]))
    return None


def names_documents(question: str) -> tuple[str, ...]:
    """The documents a question names: in 《》 or quotation marks, or with their file type."""
    marked = [one for groups in _MARKED.findall(question) for one in groups if one]
    return tuple(dict.fromkeys(one.strip() for one in (*marked, *_FILES.findall(question)) if one.strip()))


def may_ask(context: RunContext, outcome: IntentOutcome) -> bool:
    """Whether there may be something to ask; telling for sure may take a look at the documents."""
    return ambiguity_of(outcome) is not None or (
        context.profile.has_intents
        and any(not one.settled and names_documents(one.question) for one in outcome.asked)
    )


async def _documents_alike(context: RunContext, outcome: IntentOutcome) -> Ambiguity | None:
    """The documents of the profile's bases, as the caller may see them, of which several bear a name that a
    question gives. A question that names the base as well means the one in it."""
    for index, asked in enumerate(outcome.asked):
        names = names_documents(asked.question)
        if asked.settled or asked.document_ids or not names:
            continue
        async with context.database.transaction() as session:
            repository = DocumentRepository(session, context.scope)
            alike = await repository.named(context.profile.knowledge_base_ids, names)
            found = {base.id: base.name for base in await _bases(session, context, alike)}
        told = _plain(asked.question)
        named = {base_id for base_id, name in found.items() if _plain(name) and _plain(name) in told}
        within = [one for one in alike if one.knowledge_base_id in named]
        if len(alike) < 2 or len(within) == 1:
            continue
        options = [
            {
                "value": str(one.id),
                "label": f"{found.get(one.knowledge_base_id, '')} › {one.name}",
                "description": "",
                "document_ids": [str(one.id)],
            }
            for one in alike[:MOST_OPTIONS]
        ]
        return Ambiguity(index, tuple(options))
    return None


async def _bases(
    session: AsyncSession, context: RunContext, documents: Sequence[Document]
) -> list[KnowledgeBase]:
    ids = {one.knowledge_base_id for one in documents}
    return await KnowledgeBaseRepository(session, context.scope).get_many(list(ids)) if ids else []


def _same_name(asked: AskedIntents) -> list[Intent]:
    """Intents of one name in several places, unless the question tells which by naming what is above."""
    if not asked.intents:
        return []
    best = asked.intents[0][0]
    alike = [
        intent for intent, _ in (*asked.intents, *asked.near) if _plain(intent.name) == _plain(best.name)
    ]
    if len(alike) < 2:
        return []
    told = _plain(asked.question)
    named = [one for one in alike if any(_plain(part) in told for part in one.path[:-1] if _plain(part))]
    return alike if len(named) != 1 else []


def _tools_alike(asked: AskedIntents) -> list[Intent]:
    """Tools between which the scores do not decide: calling the wrong one would answer something else."""
    tools = [
        (intent, score) for intent, score in (*asked.intents, *asked.near) if intent.kind is IntentKind.MCP
    ]
    if not asked.intents or asked.intents[0][0].kind is not IntentKind.MCP or len(tools) < 2:
        return []
    best = tools[0][1]
    alike = [intent for intent, score in tools if score >= ALIKE * best]
    told = _plain(asked.question)
    named = [one for one in alike if _plain(one.name) in told]
    return alike if len(alike) > 1 and len({one.tool_id for one in alike}) > 1 and len(named) != 1 else []


def _option(intent: Intent) -> dict[str, Any]:
    above = " › ".join(intent.path[:-1])
    return {
        "value": str(intent.id),
        "label": f"{intent.path[0]} › {intent.name}" if above else intent.name,
        "description": intent.description,
        "intent_id": str(intent.id),
    }


def _kept(asked: AskedIntents) -> dict[str, Any]:
    return {
        "question": asked.question,
        "intents": [[str(intent.id), score] for intent, score in asked.intents],
        "document_ids": [str(one) for one in asked.document_ids],
        "settled": asked.settled,
    }


def _plain(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())
