"""One request over bases with embedders of 64 to 8,192 dimensions."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import event, text

from refdesk.gateway import Calibration
from refdesk.kit.database import Database
from refdesk.knowledge.indexing import settle
from refdesk.knowledge.indexing.homes import HALFVEC_HNSW_LIMIT, move_to_own_home
from refdesk.testing.library import Library, ShelvedBase

SIZES = (64, 384, 1024, 4096, 8192)
SUBJECTS = ("harbour lamp", "velvet curtain", "copper kettle", "winter orchard", "paper lantern")
QUESTION = "copper kettle whistles code-7"


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


@pytest.fixture
async def bases(library: Library) -> list[ShelvedBase]:
    """A base for each size, each on a subject of its own; the third also holds what is asked for."""
    found: list[ShelvedBase] = []
    for size, subject in zip(SIZES, SUBJECTS, strict=True):
        base = await library.base(await library.embedder(size))
        texts = [f"{subject} paragraph {n} tells of item {n}" for n in range(40)]
        if subject == "copper kettle":
            texts.append("The copper kettle whistles when code-7 is reached.")
        await library.add(base, texts)
        found.append(base)
    return found


@pytest.fixture
def leg_statements(database: Database) -> Iterator[list[str]]:
    """The statements of legs that were sent while the test ran."""
    seen: list[str] = []

    def note(_c: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if "AS cosine" in statement:
            seen.append(statement)

    engine = database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    yield seen
    event.remove(engine, "before_cursor_execute", note)


@pytest.mark.parametrize("mode", ["blend", "embedding", "keywords"])
async def test_what_is_asked_for_is_first_whatever_the_sizes(
    library: Library, bases: list[ShelvedBase], mode: str
) -> None:
    result = await library.search(QUESTION, *bases, mode=mode, top_n=20, apply_gate=False)
    assert result.hits[0].content.startswith("The copper kettle whistles")
    # The stand-in's 64 dimensions are noisy: by meaning alone one of another base may come between.
    of_subject = sum(hit.knowledge_base_id == bases[2].id for hit in result.hits[:5])
    assert of_subject >= (3 if mode == "embedding" else 5)
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)
    assert 0.0 <= scores[-1] <= scores[0] <= 1.0


async def test_question_is_embedded_once_a_model_and_each_embedder_has_one_statement(
    library: Library, bases: list[ShelvedBase], leg_statements: list[str]
) -> None:
    twins = [await library.base(base.embedder) for base in bases]
    for base in twins:
        await library.add(base, ["another shelf of the same library"])
    for base in bases:
        base.embedder.calls.clear()
    await library.search(QUESTION, *bases, *twins)
    assert [base.embedder.calls for base in bases] == [[[QUESTION]]] * len(SIZES)
    assert len(leg_statements) == len(SIZES)


async def test_words_alone_need_one_statement_and_no_embedder(
    library: Library, bases: list[ShelvedBase], leg_statements: list[str]
) -> None:
    for base in bases:
        base.embedder.calls.clear()
    await library.search(QUESTION, *bases, mode="keywords")
    assert all(base.embedder.calls == [] for base in bases)
    assert len(leg_statements) == 1


async def test_embedders_with_other_scales_meet_on_the_calibrated_one(library: Library) -> None:
    """One embedder's 0.9 is another's 0.3: raw cosines would put everything of the first base first."""
    high, low = (
        await library.base(await library.embedder(64)),
        await library.base(await library.embedder(384)),
    )
    high.embedder.calibration = Calibration(((0.0, 0.0), (0.95, 0.1), (1.0, 0.2)))
    low.embedder.calibration = Calibration(((0.0, 0.0), (0.3, 0.8), (1.0, 1.0)))
    await library.add(high, ["kettle copper copper kettle whistles", "velvet"])
    await library.add(low, ["the copper kettle of the house whistles at noon", "orchard"])
    result = await library.search("copper kettle whistles", high, low, mode="embedding", apply_gate=False)
    assert result.hits[0].knowledge_base_id == low.id
    first, second = result.hits[:2]
    assert first.dense is not None
    assert second.dense is not None
    assert first.dense.raw < second.dense.raw
    assert first.similarity > second.similarity


async def test_homes_of_every_size_find_what_the_comparison_of_all_rows_finds(
    library: Library, bases: list[ShelvedBase]
) -> None:
    """Above 4,000 dimensions the graph holds one bit a dimension; the order is made from the vectors."""
    asked = "orchard in winter, item 7"
    before = await library.search(asked, *bases, mode="embedding", top_n=10, apply_gate=False)
    homes = [await move_to_own_home(library.database, library.scope, base.index.id) for base in bases]
    after = await library.search(asked, *bases, mode="embedding", top_n=10, apply_gate=False)
    assert after.hits[0].paragraph_id == before.hits[0].paragraph_id
    # The stand-in's vectors are mostly zeros, of which one bit a dimension tells little: some change places.
    shared = {hit.paragraph_id for hit in before.hits} & {hit.paragraph_id for hit in after.hits}
    assert len(shared) >= 7
    async with library.database.transaction() as session:
        for base, home in zip(bases, homes, strict=True):
            definition = await session.scalar(
                text("SELECT indexdef FROM pg_indexes WHERE tablename = :name AND indexdef LIKE '%hnsw%'"),
                {"name": f"index_entries_{home}"},
            )
            wide = base.embedder.dimensions > HALFVEC_HNSW_LIMIT
            assert ("binary_quantize" in definition) is wide


@pytest.mark.parametrize("size", SIZES)
async def test_base_of_each_size_can_be_written_folded_and_asked_alone(library: Library, size: int) -> None:
    base = await library.base(await library.embedder(size))
    await library.add(base, [f"paragraph {n} of the lantern" for n in range(12)] + ["A moth in the hall."])
    await settle(library.database, library.scope, base.index.id, 10)
    result = await library.search("moth in the hall", base)
    assert result.found
    assert result.hits[0].content == "A moth in the hall."
