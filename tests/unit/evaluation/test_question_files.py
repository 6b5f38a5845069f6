"""Questions out to a file and in again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.evaluation import QuestionFileInvalid
from refdesk.evaluation.question_files import read_questions, write_csv, write_jsonl
from refdesk.evaluation.schemas import ExpectedDocument, ExpectedParagraph, ExpectedView, TestQuestionView
from refdesk.kit.ids import new_id

TEXTS = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n,\"';；=+-@"),
    min_size=1,
    max_size=60,
).filter(lambda text: text.strip() == text)


@st.composite
def questions(draw: st.DrawFn) -> TestQuestionView:
    documents = [ExpectedDocument(id=new_id(), name=draw(TEXTS)) for _ in range(draw(st.integers(0, 3)))]
    paragraphs = [
        ExpectedParagraph(id=new_id(), document_id=new_id(), document_name="d", title="", position=1)
        for _ in range(draw(st.integers(0, 2)))
    ]
    nothing = draw(st.booleans()) and not documents and not paragraphs
    expected = ExpectedView(
        documents=documents, paragraphs=paragraphs, nothing=nothing, unavailable=0, unknown=[]
    )
    return TestQuestionView(id=new_id(), position=1, question=draw(TEXTS), expected=expected)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@given(st.lists(questions(), max_size=5))
def test_what_is_written_is_read_again(kind: str, written: list[TestQuestionView]) -> None:
    content = (write_csv if kind == "csv" else write_jsonl)(written).decode()
    read = read_questions(content, kind)
    assert [one.question for one in read] == [one.question for one in written]
    for one, other in zip(read, written, strict=True):
        assert one.documents == [str(document.id) for document in other.expected.documents]
        assert one.paragraph_ids == [paragraph.id for paragraph in other.expected.paragraphs]
        assert one.expects_nothing == other.expected.nothing


def test_a_spreadsheets_file_is_read_with_names_in_either_language() -> None:
    content = (
        "\ufeff问题,期望文档,没有答案\r\n年假几天？,员工手册.pdf；假期.docx,\r\n股价多少？,,是\r\n,,\r\n"
    )
    first, second = read_questions(content, "csv")
    assert (first.question, first.documents) == ("年假几天？", ["员工手册.pdf", "假期.docx"])
    assert (second.documents, second.expects_nothing) == ([], True)
    tabbed = read_questions("question\texpected\nHow long?\tleave.md", "csv")
    assert tabbed[0].documents == ["leave.md"]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("question,documents\nWho won?,-\n", "csv"),
        ("question,documents,nothing\nWho won?,,yes\n", "csv"),
        ('{"question": "Who won?", "documents": "-"}', "jsonl"),
        ('{"question": "Who won?", "documents": ["-"]}', "jsonl"),
        ('{"question": "Who won?", "nothing": true}', "jsonl"),
    ],
)
def test_a_question_without_an_answer_is_said_by_a_dash_or_a_column(content: str, kind: str) -> None:
    (read,) = read_questions(content, kind)
    assert (read.documents, read.expects_nothing) == ([], True)


def test_a_formula_is_not_left_to_a_spreadsheet() -> None:
    expected = ExpectedView(documents=[], paragraphs=[], nothing=False, unavailable=0, unknown=[])
    view = TestQuestionView(id=new_id(), position=1, question="=SUM(A1)", expected=expected)
    assert b"'=SUM(A1)" in write_csv([view])


@pytest.mark.parametrize(
    ("content", "kind", "line"),
    [
        ("answer\nx", "csv", 1),
        ('question\n"x', "csv", 2),
        ("question,paragraphs\nwhy?,not-an-id", "csv", 2),
        ('{"question": "a"}\nnonsense', "jsonl", 2),
        ('{"question": ""}', "jsonl", 1),
        ("[]", "jsonl", 1),
        ('{"question": {"a": 1}, "documents": 7}', "jsonl", 1),
    ],
)
def test_the_line_at_fault_is_told(content: str, kind: str, line: int) -> None:
    with pytest.raises(QuestionFileInvalid) as caught:
        read_questions(content, kind)
    assert caught.value.details["line"] == line
