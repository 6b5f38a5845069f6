"""Term bases travel with exports, and what was written with them is found again without an embedder."""

import io
import json
import zipfile

import pytest
from tests.service.exchange.conftest import archive_of, members, take_in
from tests.service.terms.conftest import TermDesk

from refdesk.knowledge.exchange.checking import check
from refdesk.knowledge.exchange.errors import ArchiveInvalid
from refdesk.testing.desk import make_desk


async def test_terms_come_along_and_count_at_once(shelf: TermDesk) -> None:
    await shelf.add("云枢三号控制器连续报错。", "食堂十二点开门。")
    await shelf.term("云枢三号", "YS-3")
    await shelf.follow()
    data = await archive_of(shelf.desk, shelf.base_id)
    assert json.loads(members(data)["terms.jsonl"]) == {"word": "云枢三号", "synonyms": ["YS-3"]}
    other = await make_desk(shelf.desk.database)
    embedded = len(other.embedder.calls)
    imported = TermDesk(other, (await take_in(other, data)).knowledge_base_id)
    assert len(other.embedder.calls) == embedded
    assert await imported.texts("YS-3") == ["云枢三号控制器连续报错。"]
    page = await imported.page()
    assert [(term.word, term.synonyms) for term in page.items] == [("云枢三号", ["YS-3"])]
    assert page.progress.is_current
    await imported.check_statistics()


@pytest.mark.parametrize(
    "lines",
    [
        b'{"word":"a b","synonyms":[]}\n{"word":"c","synonyms":["A  B"]}\n',
        b'{"word":"---","synonyms":[]}\n',
        b'{"word":"a;b","synonyms":[]}\n',
        b'{"word":"a","synonyms":"b"}\n',
        b"not json\n",
    ],
)
async def test_an_archive_with_wrong_terms_is_refused(shelf: TermDesk, lines: bytes) -> None:
    data = await archive_of(shelf.desk, shelf.base_id)
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w") as archive:
        for name, content in members(data).items():
            archive.writestr(name, lines if name == "terms.jsonl" else content)
    with pytest.raises(ArchiveInvalid):
        check(changed, 10**9)
