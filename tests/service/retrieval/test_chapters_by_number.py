"""A chapter is found by its number, in digits or in words."""

import pytest

from refdesk.kit.database import Database
from refdesk.knowledge.parsing import parse
from refdesk.knowledge.splitting import split
from refdesk.testing.library import Library

_NAMES = (
    "入驻须知",
    "佣金费率",
    "退货退款",
    "对接示例",
    "举证材料",
    "不予受理的情形",
    "违约责任",
    "争议解决",
)


@pytest.mark.parametrize("asked", ["第6章讲什么", "第六章讲什么"])
async def test_a_chapter_is_found_by_its_number(database: Database, asked: str) -> None:
    library = await Library(database).open()
    base = await library.base()
    manual = "\n\n".join(
        f"## 第{number}章 {name}\n\n商家应当按平台规则办理，处理时限为 6 个工作日，讲明原因。"
        for number, name in enumerate(_NAMES, 1)
    )
    for paragraph in split(parse(manual.encode(), "manual.md")).paragraphs:
        await library.add(base, [paragraph.content], titles=[*paragraph.title_chain, paragraph.title])
    result = await library.search(asked, base, mode="keywords", similarity=0.0)
    assert result.hits[0].title_chain == ("第6章 不予受理的情形",)
