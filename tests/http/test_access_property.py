"""Who may see what, over HTTP: nothing hidden from a caller is told by anything, what is not is found.

A random history of restrictions, moves, removals and changes of groups is played on one base. After some
steps callers go every way there is (`access_ways`); then more is changed, and their old conversations are
opened.
`REFDESK_TEST_ACCESS_EXAMPLES` is how many histories are played.
"""

import json
import os
import random
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import tests.http.access_ways_comparisons
import tests.http.access_ways_graph
import tests.http.access_ways_tools  # noqa: F401 - all register their ways
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from tests.http.access_excuses import EXCUSED
from tests.http.access_play import API, COMMON, MISSING, PERSONS, Play, begin, nowhere_like, step
from tests.http.access_table import ROWS
from tests.http.access_ways import (
    ASKING,
    CHANGING,
    READING,
    READING_FILES,
    WAYS,
    ask_by_id,
    id_of,
    without_ids,
)
from tests.http.asking import answered, events_of
from tests.http.world import World, ok

from refdesk.testing.scripted_model import ScriptedModel, scripted_model
from refdesk.testing.scripted_reranker import reranks

EXAMPLES = int(os.environ.get("REFDESK_TEST_ACCESS_EXAMPLES", "8"))


@pytest.fixture(scope="module")
async def echo() -> AsyncIterator[ScriptedModel]:
    """A language model that says what it is told: whatever reaches its prompt is in the answer."""
    async with scripted_model() as server:
        yield server


@pytest.fixture(scope="module")
async def play(world: World, echo: ScriptedModel) -> AsyncIterator[Play]:
    made = await begin(world)
    owner = world.owner
    llm = {"kind": "LLM", "name": "echo", "model_name": "echo", "base_url": echo.base_url}
    model = ok(await owner.post(f"{API}/models", json=llm))
    application = {
        "name": "echo",
        "knowledge_base_ids": [made.base_id],
        "model_id": model["id"],
        "settings": {"top_n": 50, "similarity": 0, "max_context_chars": 100_000},
    }
    made.things["application"] = ok(await owner.post(f"{API}/applications", json=application))["id"]
    other = ok(await owner.post(f"{API}/knowledge-bases", json={"name": "Other one"}))
    made.things["other base"] = other["id"]
    async with scripted_model() as reranker:
        reranker.always(reranks("tei"))
        root = reranker.base_url.removesuffix("/v1")
        body = {"kind": "RERANKER", "name": "order", "model_name": "bge", "base_url": root}
        made.things["reranker"] = ok(await owner.post(f"{API}/models", json=body))["id"]
        yield made


def _check_text(play: Play, caller: str, where: str, text: str, *, typed: str = "") -> None:
    """Nothing hidden is in the text, but for what the caller typed."""
    for secret in play.secrets(caller):
        assert secret not in text or secret in typed, f"{caller} is told {secret} by {where}"


async def _go_every_way(play: Play, caller: str, rng: random.Random) -> None:
    for _, going in WAYS:
        async for told in going(play, caller, rng):
            _check_text(play, caller, told.where, told.text)
            if told.total is not None:
                counted, expected = told.total
                assert counted == expected, f"{told.where} counts {counted} for {caller}, not {expected}"
            if told.whole and PERSONS[caller] != "stranger":
                for document in play.shown(caller):
                    assert document.word in told.text, f"{told.where} does not tell {caller} of all"


async def _ask_by_ids(play: Play, caller: str, rng: random.Random) -> None:
    """What is hidden answers like what is not there; what is not hidden answers."""
    hidden = play.hidden(caller)
    for document in rng.sample(hidden, min(1, len(hidden))):
        for one in (*READING, *READING_FILES, *CHANGING):
            known = play.missing.get((caller, repr(one)))
            if known is None:
                known = without_ids(await ask_by_id(play, caller, one, MISSING), MISSING)
                play.missing[caller, repr(one)] = known
            key = id_of(document, one)
            sent = await ask_by_id(play, caller, one, key)
            assert without_ids(sent, key) == known, f"{caller}: {one.name} tells that something is there"
        await _guess_a_word(play, caller, document.word)
    shown = play.shown(caller)
    for document in rng.sample(shown, min(1, len(shown))):
        for one in READING:
            sent = await ask_by_id(play, caller, one, id_of(document, one))
            assert sent.is_success, f"{caller}: {one.name}: {sent.text}"
            _check_text(play, caller, one.name, _text_of(sent))
        await _mix_in_hidden(play, caller, document.id, [one.paragraphs[0] for one in hidden[:1]])
    if play.documents[0] in shown:
        for one in READING_FILES:
            assert (await ask_by_id(play, caller, one, play.documents[0].id)).is_success, one.name


async def _guess_a_word(play: Play, caller: str, word: str) -> None:
    """A word that stands in hidden documents only scores as one that stands nowhere."""
    nowhere = nowhere_like(word)
    shown = [one.id for one in play.shown(caller)][:1]
    answers: list[Any] = []
    for asked in (word, nowhere):
        body = {"query": f"{COMMON} {asked}", "knowledge_base_ids": [play.base_id], "mode": "keywords"}
        body |= {"similarity": 0, "top_n": 50}
        sent = [await play.clients[caller].post(f"{API}/hit-test", json=body)]
        for key in shown:
            explain = body | {"document_id": key}
            sent.append(await play.clients[caller].post(f"{API}/hit-test/explain", json=explain))
        # The number within the word is a term of its own, which an explanation names.
        answers.append([_without_term(without_ids(one, asked), asked[2:4]) for one in sent])
    assert answers[0] == answers[1], f"{caller} can tell that {word} stands in a hidden document"


def _without_term(told: Any, term: str) -> Any:
    if isinstance(told, dict):
        return {key: _without_term(value, term) for key, value in told.items()}
    if isinstance(told, (list, tuple)):
        return [_without_term(one, term) for one in told]
    return None if told == term else told


def _text_of(response: httpx.Response) -> str:
    return response.content.decode("utf-8", "replace")


async def _mix_in_hidden(play: Play, caller: str, document_id: str, hidden: list[str]) -> None:
    """Something hidden named in what is asked of a visible document."""
    client, path = play.clients[caller], f"{API}/documents/{document_id}/paragraphs"
    for key in hidden:
        answers: list[Any] = []
        for named in (key, MISSING):
            around = await client.get(path, params={"around": named})
            after = await client.post(path, json={"content": "x", "after": named})
            acted = await client.post(f"{path}/actions", json={"ids": [named], "action": "deactivate"})
            answers.append([without_ids(one, named) for one in (around, after, acted)])
            assert not after.is_success
        assert answers[0] == answers[1], f"{caller} is told of a hidden paragraph by a visible document"


async def _ask(play: Play, caller: str, rng: random.Random, echo: ScriptedModel) -> None:
    """Ask with and without a model, also on from where an earlier conversation ended."""
    client = play.clients[caller]
    if PERSONS[caller] == "stranger":
        sent = await client.post(
            f"{API}/runs", json={"question": COMMON, "knowledge_base_ids": [play.base_id]}
        )
        assert sent.status_code == 404
        return
    document = rng.choice(play.documents)
    question = f"{COMMON} of {document.word}?"
    run = await answered(client, question=question, knowledge_base_ids=[play.base_id])
    told = json.dumps(_untyped(run))
    # The word that was asked for comes back in the notice of an answer that found nothing.
    _check_text(play, caller, "an answer", told, typed="" if run["citations"] else question)
    if play.may_see(caller, document):
        assert document.word in run["answer"], f"{caller} gets no answer from {document.word}"
    runs = play.asked.setdefault(caller, [])
    runs.append((run["id"], run["conversation_id"]))
    # The key that is bound to the base may not ask the application.
    if caller == "bound_key":
        return
    earlier = [one for one in runs[-4:-1] if rng.random() < 0.7]
    body: dict[str, Any] = {
        "question": f"{COMMON} and the hall?",
        "application_id": play.things["application"],
    }
    if earlier and (thread := play.things.get(f"thread of {caller}")):
        body["conversation_id"] = thread
    echo.requests.clear()  # Hypothesis writes out what a test is given
    run = await answered(client, **body)
    assert run["state"] == "finished", run
    play.things[f"thread of {caller}"] = run["conversation_id"]
    _check_text(play, caller, "a written answer", json.dumps(_untyped(run)))
    for request in echo.requests:
        _check_text(play, caller, "the prompt of a model", json.dumps(request.body), typed=_typed(play))
    for one in play.shown(caller):
        assert one.word in run["answer"], f"the model is not told of {one.word} for {caller}"
    runs.append((run["id"], run["conversation_id"]))


def _typed(play: Play) -> str:
    """Words of documents that callers may have typed in earlier turns."""
    return " ".join(one.word for one in (*play.documents, *play.gone))


def _untyped(data: Any) -> Any:
    """Without what the caller typed."""
    if isinstance(data, dict):
        typed = ("question", "title", "query", "standalone_question")
        return {key: _untyped(value) for key, value in data.items() if key not in typed}
    return [_untyped(one) for one in data] if isinstance(data, list) else data


async def _look_back(play: Play, caller: str) -> None:
    """Old conversations, runs, their logs and their resumed streams tell nothing that is hidden by now."""
    client = play.clients[caller]
    listed = await client.get(f"{API}/conversations", params={"limit": 100})
    if listed.is_success:
        _check_text(play, caller, "the list of conversations", json.dumps(_untyped(listed.json())))
    for run_id, conversation_id in play.asked.get(caller, ())[-4:]:
        run = ok(await client.get(f"{API}/runs/{run_id}"))
        whole = [
            run,
            ok(await client.get(f"{API}/conversations/{conversation_id}")),
            ok(await client.post(f"{API}/runs/{run_id}/cancel")),
            ok(await client.get(f"{API}/runs/{run_id}/trace")),
            [event.json() for event in await events_of(client, run_id)],
            [event.json() for event in await events_of(client, run_id, **{"Last-Event-ID": "3"})],
        ]
        told = json.dumps(_untyped(whole))
        for document in play.hidden(caller):
            for secret in document.secrets:
                # The word is the caller's own where they asked for it.
                if secret != document.word or secret not in run["question"]:
                    assert secret not in told, f"{caller} is told {secret} by an old conversation"


@pytest.mark.timeout(900)  # about a minute on a machine that does nothing else
@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of what has been played so far
@seed(30)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(number=st.integers(0, 2**32))
async def test_nothing_hidden_is_told_and_all_that_is_visible_is_found(
    play: Play, echo: ScriptedModel, number: int
) -> None:
    rng = random.Random(number)
    for _ in range(3):
        await step(play, rng)
    first, second = rng.sample(sorted(play.clients), 2)
    await _go_every_way(play, first, rng)
    await _ask_by_ids(play, first, rng)
    for caller in (first, second):
        await _ask(play, caller, rng, echo)
    for _ in range(3):
        await step(play, rng)
    for caller in rng.sample(sorted(play.asked), min(2, len(play.asked))):
        await _look_back(play, caller)


def test_every_operation_is_gone_or_excused() -> None:
    gone = {name for operations, _ in WAYS for name in operations} | set(ASKING)
    gone |= {one.name for one in (*READING, *READING_FILES, *CHANGING)}
    excused = {name for names in EXCUSED.values() for name in names}
    there = {row.name for row in ROWS}
    assert gone & excused == set()
    assert (gone | excused) - there == set(), "named, but not there"
    asked = {row.name for row in ROWS if row.method in ("GET", "POST")}
    assert asked - gone - excused == set(), "neither gone by a way nor excused"
