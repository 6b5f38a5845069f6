"""Both numbers that routing is held to, on a generated library: what it leaves out, and what that costs.

`benchmarks/routing.py` measures the same on judged sets with the embedded model.
"""

import random
from dataclasses import dataclass
from uuid import UUID

import pytest

from refdesk.kit.database import Database
from refdesk.retrieval.routing import RouteSettings, refresh_profile
from refdesk.testing.library import Library, ShelvedBase

BASES, PARAGRAPHS, QUESTIONS = 24, 40, 80
MOST_SEARCHED, MOST_LOST = 0.30, 0.01


@dataclass(frozen=True)
class Asked:
    """A question, and the paragraph it was made from."""

    text: str
    content: str


def words(rng: random.Random, count: int) -> list[str]:
    """Pronounceable words of no language, so that only this library's statistics tell them apart."""
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    return ["".join(rng.choices(syllables, k=3)) for _ in range(count)]


def written(rng: random.Random) -> tuple[list[list[str]], list[Asked]]:
    """Paragraphs by base, and questions about some of them.

    A base has a subject of its own and shares another with two neighbours; half of each paragraph is words
    that all bases use.
    """
    common, neighbours = words(rng, 300), [words(rng, 60) for _ in range(BASES // 3)]
    library: list[list[str]] = []
    asked: list[Asked] = []
    for base in range(BASES):
        own, near = words(rng, 80), neighbours[base // 3]
        paragraphs: list[str] = []
        for number in range(PARAGRAPHS):
            of_subject = [*rng.choices(own, k=7), *rng.choices(near, k=5)]
            chosen = [*of_subject, *rng.choices(common, k=12)]
            rng.shuffle(chosen)
            code = f"ref-{base}{number:03d}"
            paragraphs.append(" ".join([*chosen, code]))
            by_words = rng.sample(of_subject, k=4) + rng.choices(common, k=3)
            asked.append(Asked(code if number % 8 == 0 else " ".join(by_words), paragraphs[-1]))
        library.append(paragraphs)
    return library, rng.sample(asked, QUESTIONS)


@pytest.fixture(scope="module")
async def library(database: Database) -> tuple[Library, list[ShelvedBase], list[Asked]]:
    shelves, asked = written(random.Random(24))
    library = await Library(database).open()
    embedder = await library.embedder(256)
    bases: list[ShelvedBase] = []
    for paragraphs in shelves:
        bases.append(await library.base(embedder))
        await library.add_many(bases[-1], [(paragraphs, 0)])
        await refresh_profile(database, library.scope, bases[-1].index.id)
    return library, bases, asked


@pytest.mark.parametrize("mode", ["blend", "keywords", "embedding"])
async def test_few_bases_are_searched_and_next_to_nothing_is_lost(
    library: tuple[Library, list[ShelvedBase], list[Asked]], mode: str
) -> None:
    desk, bases, asked = library
    found, lost, searched = 0, 0, list[float]()
    for question in asked:
        every = await desk.search(question.text, *bases, mode=mode, apply_gate=False)
        routed = await desk.search(question.text, *bases, mode=mode, apply_gate=False, route=RouteSettings())
        assert routed.route is not None
        chosen: set[UUID] = set(routed.route.searched)
        searched.append(len(chosen) / len(bases))
        if any(hit.content == question.content for hit in every.hits):
            found += 1
            lost += all(hit.content != question.content for hit in routed.hits)
    mean = sum(searched) / len(searched)
    assert found >= 0.7 * QUESTIONS, "the questions can be answered at all"
    assert mean <= MOST_SEARCHED, f"{mean:.1%} of the bases were searched"
    assert lost <= MOST_LOST * found, f"{lost} of {found} were lost"
