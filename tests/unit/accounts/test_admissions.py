"""One question a caller for all their open streams; a refusal is never kept."""

import asyncio

from refdesk.accounts.admissions import Admissions


class Asked:
    def __init__(self, *answers: bool) -> None:
        self.count = 0
        self._answers = iter(answers)

    async def __call__(self) -> bool:
        self.count += 1
        await asyncio.sleep(0.01)
        return next(self._answers)


async def test_streams_of_one_caller_share_an_answer_and_others_have_their_own() -> None:
    admissions, mine, theirs = Admissions(), Asked(True), Asked(False)
    answers = await asyncio.gather(
        *(admissions.ask("me", mine) for _ in range(100)), admissions.ask("them", theirs)
    )
    assert answers == [True] * 100 + [False]
    assert await admissions.ask("me", mine) is True
    assert (mine.count, theirs.count) == (1, 1)


async def test_a_refusal_and_an_old_answer_are_asked_for_again() -> None:
    admissions, asked = Admissions(fresh_s=0.0), Asked(True, False, True)
    assert [await admissions.ask("me", asked) for _ in range(3)] == [True, False, True]
    kept, asked = Admissions(fresh_s=60.0), Asked(False, True)
    assert [await kept.ask("me", asked) for _ in range(3)] == [False, True, True]
    assert asked.count == 2


async def test_who_leaves_while_waiting_does_not_take_the_answer_from_the_others() -> None:
    admissions, asked = Admissions(), Asked(True)
    first = asyncio.create_task(admissions.ask("me", asked))
    second = asyncio.create_task(admissions.ask("me", asked))
    await asyncio.sleep(0)
    first.cancel()
    assert await second is True
    assert asked.count == 1


async def test_a_failed_question_is_not_kept() -> None:
    admissions = Admissions()

    async def fails() -> bool:
        raise OSError

    for _ in range(2):
        try:
            await admissions.ask("me", fails)
        except OSError:
            continue
        raise AssertionError
    assert await admissions.ask("me", Asked(True)) is True
