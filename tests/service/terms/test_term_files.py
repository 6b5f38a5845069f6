"""CSV files of terms as spreadsheets write them, and what an import says of every line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.service.terms.conftest import TermDesk

from refdesk.kit.errors import AppError
from refdesk.knowledge.terms import Terms, csv_files, service
from refdesk.knowledge.terms.errors import TermFileUnreadable, TermInvalid, TermTaken, TooManyTerms
from refdesk.knowledge.terms.schemas import TermChange, TermDraft, TermImport
from refdesk.testing.desk import make_desk


async def take(shelf: TermDesk, data: bytes, *, dry_run: bool = False) -> TermImport:
    async with shelf.desk.database.transaction() as session:
        return await Terms(session, shelf.desk.scope).import_file(shelf.base_id, data, dry_run=dry_run)


async def words(shelf: TermDesk) -> dict[str, list[str]]:
    return {term.word: term.synonyms for term in (await shelf.page()).items}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "gbk", "utf-16"])
@pytest.mark.parametrize("header", ["word,synonyms\r\n", "术语,同义词\r\n", ""])
async def test_any_spreadsheets_file_is_read(shelf: TermDesk, encoding: str, header: str) -> None:
    text = header + "云枢三号控制器,YS-3；雲樞\r\n机器学习平台,machine learning;ML\r\n差旅费报销单,\r\n"
    result = await take(shelf, text.encode(encoding))
    assert (result.new, result.refused) == (3, 0), result
    assert await words(shelf) == {
        "云枢三号控制器": ["YS-3", "雲樞"],
        "机器学习平台": ["machine learning", "ML"],
        "差旅费报销单": [],
    }


async def test_a_dry_run_tells_all_and_changes_nothing(shelf: TermDesk) -> None:
    await shelf.term("Kubernetes", "K8S")
    await shelf.term("docker")
    data = (
        "word,synonyms\n"
        "kubernetes,K8S;k8s cluster\n"  # 2: changed
        "docker,\n"  # 3: unchanged
        "ERR-1042,电源故障\n"  # 4: new
        "---,\n"  # 5: no letters
        'a;b,"x"\n'  # 6: separator in a word
        "Err-1042,\n"  # 7: twice in the file
        "helm,K8S\n"  # 8: belongs to another
        f"{'x' * 101},\n"  # 9: too long
        "one,two,three\n"  # 10: too many columns
        "\n"
        '"two\nlines",\n'  # 12: a line break in a word is a space
        ",orphan\n"  # 14: no word
    ).encode()
    dry = await take(shelf, data, dry_run=True)
    assert dry.is_dry_run
    assert (dry.new, dry.changed, dry.unchanged, dry.refused) == (2, 1, 1, 7)
    assert [line.line for line in dry.refused_lines] == [5, 6, 7, 8, 9, 10, 14]
    assert {line.line: line.code for line in dry.refused_lines} == {
        5: "term-invalid",
        6: "term-invalid",
        7: "term-line-repeated",
        8: "term-taken",
        9: "term-invalid",
        10: "term-line-columns",
        14: "term-invalid",
    }
    assert dry.refused_lines[2].details == {"line": 4}
    assert dry.refused_lines[3].details["term"] == "kubernetes"
    assert "Kubernetes" in dry.refused_lines[3].message or "kubernetes" in dry.refused_lines[3].message
    assert await words(shelf) == {"Kubernetes": ["K8S"], "docker": []}
    real = await take(shelf, data)
    assert real.model_dump(exclude={"is_dry_run"}) == dry.model_dump(exclude={"is_dry_run"})
    assert await words(shelf) == {
        "ERR-1042": ["电源故障"],
        "docker": [],
        "kubernetes": ["K8S", "k8s cluster"],
        "two lines": [],
    }


async def test_an_export_comes_back_unchanged(shelf: TermDesk) -> None:
    await shelf.term("=cmd()", "+1", "@home")
    await shelf.term('quoted "word", with comma', "同义词")
    async with shelf.desk.database.transaction() as session:
        data = await Terms(session, shelf.desk.scope).export(shelf.base_id)
    assert data.startswith(b"\xef\xbb\xbfword,synonyms")
    assert b"\n=cmd" not in data  # no cell that a spreadsheet takes for a formula
    result = await take(shelf, data)
    assert (result.new, result.changed, result.unchanged, result.refused) == (0, 0, 2, 0)


@pytest.mark.parametrize(
    "data", [b"", b"  \n", b"PK\x03\x04rest", b"\x01\x02\x03\x07" * 100, b'"open quote,\n']
)
async def test_what_is_no_table_is_refused_as_a_whole(shelf: TermDesk, data: bytes) -> None:
    with pytest.raises(TermFileUnreadable):
        await take(shelf, data)


async def test_a_word_belongs_to_one_term_in_whatever_spelling(shelf: TermDesk) -> None:
    await shelf.term("机器学习", "ML")
    for word, synonyms in (("機器學習", ()), ("ｍｌ", ()), ("deep learning", ("机器 学习",))):
        with pytest.raises(TermTaken) as caught:
            await shelf.term(word, *synonyms)
        assert caught.value.details["term"] == "机器学习"
    for word in ("", "  ", "。。", "x" * 101, "a；b"):
        with pytest.raises(TermInvalid):
            await shelf.term(word)
    other = await shelf.term("深度学习")
    async with shelf.desk.database.transaction() as session:
        terms = Terms(session, shelf.desk.scope)
        changed = await terms.change(other, TermChange(synonyms=["DL", "dl", "Deep Learning"]))
        assert changed.synonyms == ["DL", "Deep Learning"]


async def test_a_term_base_has_a_limit(shelf: TermDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_WORDS", 5)
    await shelf.term("one", "two", "three")
    with pytest.raises(TooManyTerms):
        await shelf.term("four", "five", "six")
    with pytest.raises(TooManyTerms):
        await take(shelf, b"four\nfive\nsix\n")
    assert (await take(shelf, b"four\nfive\n")).new == 2


async def test_terms_of_another_workspace_are_not_there(shelf: TermDesk) -> None:
    term_id = await shelf.term("one")
    stranger = await make_desk(shelf.desk.database)
    async with stranger.database.transaction() as session:
        terms = Terms(session, stranger.scope)
        for call in (
            terms.delete(term_id),
            terms.change(term_id, TermChange(word="two")),
            terms.page(shelf.base_id, limit=5, cursor=None, q=None),
            terms.create(shelf.base_id, TermDraft(word="two")),
            terms.export(shelf.base_id),
        ):
            with pytest.raises(AppError) as caught:
                await call
            assert caught.value.status == 404


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    try:
        table = csv_files.read(data)
    except TermFileUnreadable:
        return
    assert all(row.line >= 1 for row in table.rows)


@given(
    st.lists(
        st.tuples(st.text(min_size=1, max_size=20), st.lists(st.text(max_size=10), max_size=3)), max_size=5
    )
)
def test_what_is_written_is_read_back(terms: list[tuple[str, list[str]]]) -> None:
    clean: list[tuple[str, list[str]]] = []
    for word, synonyms in terms:
        kept = [" ".join(text.split()) for text in (word, *synonyms)]
        if all(text and text.isprintable() and not set(text) & set(";；") for text in kept):
            clean.append((kept[0], kept[1:]))
    rows = csv_files.read(csv_files.write(clean)).rows
    known = [row for row in rows if row.word]
    assert [(row.word, list(row.synonyms)) for row in known] == [(word, synonyms) for word, synonyms in clean]
