"""An exact code comes first, however it is written, in a base full of codes that are nearly the same."""

import random
from uuid import UUID

import pytest

from refdesk.kit.database import Database
from refdesk.testing.library import Library, ShelvedBase

PARAGRAPHS = 3_000
# Other codes of the same digits, the digits alone, and the letters alone.
NEAR = ("ERR-1043", "ERR-104", "ERR-10421", "ERR-1024", "ERR-11042", "WRN-1042", "ERR-1O42", "1042", "ERR")
WRITTEN = ("设备面板显示ERR-1042，请联系值班人员。", "日志中出现 ERR-1042 时请重启网关。")
WRITTEN_OTHERWISE = ("屏幕提示ＥＲＲ－１０４２，请更换滤芯。", "串口打印err-1042后停机检查阀门。")
ASKED = (
    "ERR-1042",
    "err-1042",
    "ＥＲＲ－１０４２",
    "ERR－1042",
    "报错ERR-1042怎么办",
    "报错 ERR-1042 怎么办",
    "请问设备屏幕上显示了err-1042是什么原因",
    "打印机报ＥＲＲ－１０４２代码，应该怎么处理？",
    "what does ERR-1042 mean",
)
_BEGINS = ("设备屏幕显示", "日志中报错", "打印机报", "请问显示", "面板提示代码", "什么原因会出现")
_ENDS = ("应该怎么处理", "怎么办", "请重启设备", "请联系值班人员", "原因是电源故障", "请检查阀门和滤芯")


def noise() -> list[str]:
    """Paragraphs of the questions' own words, two of three with a near code, with and without spaces."""
    rng = random.Random(1042)
    found: list[str] = []
    for number in range(PARAGRAPHS):
        code = rng.choice(NEAR) if number % 3 else f"第{number}条"
        space = rng.choice(("", " "))
        sentences = [f"{rng.choice(_BEGINS)}{space}{code}{space}，{rng.choice(_ENDS)}。"]
        sentences += [f"{rng.choice(_BEGINS)}时{rng.choice(_ENDS)}。" for _ in range(rng.randrange(3))]
        found.append("".join(sentences))
    return found


@pytest.fixture(scope="module")
async def shelf(database: Database) -> tuple[Library, ShelvedBase, frozenset[UUID]]:
    """The base, and the paragraphs that hold the code."""
    library = await Library(database).open()
    base = await library.base(await library.embedder(256))
    await library.add_many(base, [(noise(), 0)])
    document = await library.add(base, [*WRITTEN, *WRITTEN_OTHERWISE])
    return library, base, frozenset(paragraph.id for paragraph in document.paragraphs)


@pytest.mark.parametrize("mode", ["blend", "keywords"])
@pytest.mark.parametrize("question", ASKED)
async def test_the_exact_code_comes_before_all_near_ones(
    shelf: tuple[Library, ShelvedBase, frozenset[UUID]], question: str, mode: str
) -> None:
    library, base, wanted = shelf
    found = await library.search(question, base, mode=mode, top_n=10)
    first = [hit.content for hit in found.hits if hit.paragraph_id in wanted]
    assert {hit.paragraph_id for hit in found.hits[: len(wanted)]} == wanted, first
    assert found.found


@pytest.mark.parametrize("mode", ["blend", "keywords"])
@pytest.mark.parametrize("code", ["ERR-1043", "ERR-104", "ERR-10421", "WRN-1042"])
async def test_a_near_code_finds_its_own_paragraphs_and_not_those_of_the_other(
    shelf: tuple[Library, ShelvedBase, frozenset[UUID]], code: str, mode: str
) -> None:
    library, base, _ = shelf
    found = await library.search(f"出现{code}怎么办", base, mode=mode, top_n=10)
    assert len(found.hits) == 10
    for hit in found.hits:
        assert code in hit.content.replace(f"{code}1", "")
