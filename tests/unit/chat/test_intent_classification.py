"""What a question is taken for by examples, by a model's answer, and when the person is asked."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.chat.guidance import ambiguity_of
from refdesk.chat.intents import AskedIntents, Intent, IntentKind, IntentOutcome, outcome_of
from refdesk.chat.intents.asking_model import ModelAnswerUnusable, asked_of, read_scores
from refdesk.chat.intents.classifier import ExampleClassifier
from refdesk.kit.ids import new_id
from refdesk.testing.embedder import HashingEmbedder

GROUPS = {
    "order": ["where is my order", "track my order", "order status please", "has my order shipped"],
    "return": ["how to return shoes", "return the shoes", "may shoes be returned", "return policy for shoes"],
    "greeting": ["hello there", "hello desk", "good morning hello", "hello hello"],
}
OUTSIDE = ["bake some bread", "capital of France", "tell a joke", "play jazz music", "weather in London"]


async def test_questions_are_told_apart_and_strangers_turned_away() -> None:
    embedder = HashingEmbedder(new_id(), 384)
    texts = [text for group in GROUPS.values() for text in group]
    labels = np.repeat(np.arange(3), 4)
    classifier = ExampleClassifier(
        await embedder.embed_queries(texts), texts, labels, await embedder.embed_queries(OUTSIDE), OUTSIDE
    )
    asked = ["where is my order 4711", "can I return these shoes", "hello", "boil an egg for lunch"]
    scores = classifier.scores(await embedder.embed_queries(asked), asked)
    assert scores[:3].argmax(axis=1).tolist() == [0, 1, 2]
    assert (scores[:3].max(axis=1) >= 0.35).all()
    assert (scores[3] < 0.35).all()
    assert ((scores >= 0) & (scores <= 1)).all()


@pytest.mark.parametrize("groups", [["one"], ["one", "two"], ["same", "same", "same"]])
async def test_the_smallest_trees_can_be_fitted(groups: list[str]) -> None:
    embedder = HashingEmbedder(new_id(), 384)
    vectors = await embedder.embed_queries(groups)
    classifier = ExampleClassifier(vectors, groups, np.arange(len(groups)), vectors[:0], [])
    scores = classifier.scores(vectors, groups)
    assert scores.shape == (len(groups), len(groups))
    assert np.isfinite(scores).all()


def _intent(name: str, *path: str, kind: IntentKind = IntentKind.KB, tool: str | None = None) -> Intent:
    return Intent(new_id(), name, name, kind, path=(*path, name), tool_id=tool)


SCORES = st.lists(st.lists(st.floats(0, 1), max_size=5), min_size=1, max_size=4)


@given(SCORES)
def test_at_most_three_intents_are_accepted_and_every_question_keeps_its_best(given: Any) -> None:
    intent = _intent("x")
    scored = [[(intent, score) for score in sorted(one, reverse=True)] for one in given]
    outcome = outcome_of([str(n) for n in range(len(given))], scored, "examples")
    kept = [one.intents for one in outcome.asked]
    assert sum(map(len, kept)) <= 3
    assert all(score >= 0.35 for one in kept for _, score in one)
    fitting = [bool(one) and max(one) >= 0.35 for one in given]
    if sum(fitting) <= 3:
        assert [bool(one) for one in kept] == fitting


def test_what_a_model_names_is_checked() -> None:
    intents = [_intent("a"), _intent("b")]
    text = (
        'Sure: {"questions":[{"question":1,"intents":[{"intent":2,"score":0.9},{"intent":7,"score":1},'
        '{"intent":1,"score":4}]},{"question":9,"intents":[]}]}'
    )
    (scores,) = read_scores(text, intents, 1)
    assert [(intent.name, score) for intent, score in scores] == [("a", 1.0), ("b", 0.9)]
    for broken in ("", "no JSON", '{"questions":[{"question":1}]}', '{"questions":1}'):
        with pytest.raises(ModelAnswerUnusable):
            read_scores(broken, intents, 1)
    assert "› " not in asked_of(intents, ["q"])


def _outcome(question: str, *intents: tuple[Intent, float]) -> IntentOutcome:
    return IntentOutcome((AskedIntents(question, intents[:1], intents[1:]),))


def test_a_name_in_two_domains_is_asked_about_unless_the_question_names_one() -> None:
    shop, lease = _intent("Returns", "Shop"), _intent("Returns", "Lease")
    found = ambiguity_of(_outcome("return policy", (shop, 0.8), (lease, 0.7)))
    assert found is not None
    assert [one["label"] for one in found.options] == ["Shop › Returns", "Lease › Returns"]
    assert ambiguity_of(_outcome("return policy of the lease", (lease, 0.8), (shop, 0.7))) is None
    assert ambiguity_of(_outcome("return policy", (shop, 0.8), (_intent("Repair", "Shop"), 0.7))) is None


def test_two_tools_are_asked_about_only_where_scores_do_not_decide() -> None:
    order = _intent("Orders", kind=IntentKind.MCP, tool="a")
    parcel = _intent("Parcels", kind=IntentKind.MCP, tool="b")
    assert ambiguity_of(_outcome("where is it", (order, 0.8), (parcel, 0.75))) is not None
    assert ambiguity_of(_outcome("where is it", (order, 0.8), (parcel, 0.5))) is None
