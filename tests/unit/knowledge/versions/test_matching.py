"""Which paragraph of a new version is which of the present one."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from refdesk.kit.ids import new_id
from refdesk.knowledge.versions.matching import match
from refdesk.knowledge.versions.records import OriginNames, ParagraphRecord
from refdesk.knowledge.versions.snapshot import decode, encode


def fresh(*contents: str, title: str = "") -> list[ParagraphRecord]:
    """What the splitter makes of a file with these paragraphs."""
    names = OriginNames()
    records: list[ParagraphRecord] = []
    start = 0
    for content in contents:
        records.append(
            ParagraphRecord(
                id=new_id(),
                title=title,
                title_chain=[],
                content=content,
                start=start,
                end=start + len(content),
                origins=[names.name([], title, content)],
            )
        )
        start += len(content) + 2
    return records


def edited(record: ParagraphRecord, content: str) -> ParagraphRecord:
    return replace(
        record, content=content, is_edited=True, source_title=record.title, source_content=record.content
    )


def added(content: str) -> ParagraphRecord:
    return ParagraphRecord(id=new_id(), title="", title_chain=[], content=content, is_edited=True)


def merged(first: ParagraphRecord, second: ParagraphRecord) -> ParagraphRecord:
    content = f"{first.content}\n\n{second.content}"
    return replace(
        first,
        content=content,
        end=second.end,
        is_edited=True,
        origins=[*first.origins, *second.origins],
        source_title=first.title,
        source_content=content,
    )


def cut(record: ParagraphRecord, offset: int) -> list[ParagraphRecord]:
    parts = record.content[:offset], record.content[offset:]
    return [
        replace(record, content=parts[0], end=record.start + offset, is_edited=True, source_content=parts[0]),
        replace(
            record,
            id=new_id(),
            content=parts[1],
            start=record.start + offset,
            is_edited=True,
            source_content=parts[1],
        ),
    ]


def contents(records: Sequence[ParagraphRecord]) -> list[str]:
    return [record.content for record in records]


LAMP = "The lamp of the harbour burns every night until the morning."
BELL = "A bell on the pier rings whenever the fog comes in from the sea."
ROPE = "Ropes are inspected twice a year by the master of the boats."


def test_what_is_unchanged_keeps_its_id_also_when_it_moved() -> None:
    present = fresh(LAMP, BELL, ROPE)
    outcome = match(present, fresh(ROPE, LAMP, "Something new stands here now.", BELL))
    ids = {record.content: record.id for record in present}
    assert contents(outcome.paragraphs) == [ROPE, LAMP, "Something new stands here now.", BELL]
    assert [record.id for record in outcome.paragraphs if record.content in ids] == [
        ids[ROPE],
        ids[LAMP],
        ids[BELL],
    ]


def test_equal_paragraphs_are_told_apart_by_their_order() -> None:
    present = fresh(LAMP, LAMP, BELL, LAMP)
    outcome = match(present, fresh(LAMP, LAMP, BELL))
    assert [record.id for record in outcome.paragraphs] == [record.id for record in present[:3]]


def test_an_edit_stays_when_its_source_is_unchanged() -> None:
    present = fresh(LAMP, BELL)
    present[0] = edited(present[0], "My own words.")
    outcome = match(present, fresh(ROPE, LAMP, BELL))
    assert contents(outcome.paragraphs) == [ROPE, "My own words.", BELL]
    assert (outcome.conflicts, outcome.lost_edits) == ([], [])
    assert outcome.paragraphs[1].source_content == LAMP


def test_an_edit_whose_source_changed_stays_and_is_reported_with_what_the_file_says() -> None:
    present = fresh(LAMP, BELL)
    present[0] = edited(present[0], "My own words.")
    changed = LAMP.replace("morning", "dawn")
    outcome = match(present, fresh(changed, BELL))
    assert contents(outcome.paragraphs) == ["My own words.", BELL]
    assert outcome.conflicts == [present[0].id]
    assert outcome.paragraphs[0].source_content == changed
    again = match(outcome.paragraphs, fresh(changed, BELL))
    assert contents(again.paragraphs) == ["My own words.", BELL]
    assert again.conflicts == [], "nothing changed since it was reported"


def test_an_edit_that_the_file_now_agrees_with_is_no_edit_any_more() -> None:
    present = fresh(LAMP, BELL)
    changed = LAMP.replace("morning", "dawn")
    present[0] = edited(present[0], changed)
    outcome = match(present, fresh(changed, BELL))
    assert outcome.conflicts == []
    assert outcome.paragraphs[0].id == present[0].id
    assert not outcome.paragraphs[0].is_edited
    assert outcome.paragraphs[0].source_content is None


def test_an_edited_paragraph_that_is_gone_from_the_file_goes_and_is_reported() -> None:
    present = fresh(LAMP, BELL)
    present[0] = edited(present[0], "My own words.")
    outcome = match(present, fresh(BELL, ROPE))
    assert contents(outcome.paragraphs) == [BELL, ROPE]
    assert outcome.lost_edits == [present[0].id]


def test_a_section_rewritten_from_first_word_to_last_is_known_by_its_heading() -> None:
    present = fresh(LAMP, title="Light") + fresh(BELL, title="Sound")
    present[0] = edited(present[0], "My own words.")
    outcome = match(present, fresh(ROPE, title="Light") + fresh(BELL, title="Sound"))
    assert contents(outcome.paragraphs) == ["My own words.", BELL]
    assert outcome.conflicts == [present[0].id]


def test_a_new_row_is_not_taken_for_the_changed_form_of_a_row_like_it() -> None:
    rows = [f"name: boat {n}; length: {n} metres; owner: the harbour; state: afloat" for n in range(4)]
    present = fresh(*rows)
    present[1] = edited(present[1], "name: the red boat")
    changed = rows[1].replace("afloat", "in the dock")
    new = rows[1].replace("afloat", "sold")
    outcome = match(present, fresh(rows[0], changed, new, rows[2], rows[3]))
    assert len(outcome.paragraphs) == 5
    assert "name: the red boat" in contents(outcome.paragraphs)
    assert outcome.conflicts == [present[1].id]


def test_a_deleted_paragraph_stays_deleted_and_an_added_one_stays_behind_its_neighbour() -> None:
    present = fresh(LAMP, BELL, ROPE)
    removed = present[1].origins
    mine = added("Added by a person.")
    outcome = match([present[0], mine, present[2]], fresh(ROPE, LAMP, BELL), removed)
    assert contents(outcome.paragraphs) == [ROPE, LAMP, "Added by a person."]
    assert outcome.paragraphs[2].id == mine.id


def test_a_merge_and_a_split_by_hand_stay_while_their_text_is_there() -> None:
    one, two, three = fresh(LAMP, BELL, ROPE)
    present = [merged(one, two), *cut(three, 20)]
    outcome = match(present, fresh("In front.", LAMP, BELL, ROPE))
    assert contents(outcome.paragraphs) == ["In front.", *contents(present)]
    assert [record.id for record in outcome.paragraphs[1:]] == [record.id for record in present]
    assert outcome.conflicts == []


def test_a_merge_of_which_one_half_changed_keeps_its_text_and_doubles_nothing() -> None:
    one, two, three = fresh(LAMP, BELL, ROPE)
    present = [merged(one, two), three]
    changed = BELL.replace("fog", "mist")
    outcome = match(present, fresh(LAMP, changed, ROPE))
    assert contents(outcome.paragraphs) == [f"{LAMP}\n\n{BELL}", ROPE]
    assert outcome.paragraphs[0].source_content == f"{LAMP}\n\n{changed}"
    assert outcome.conflicts == [one.id]


def test_questions_and_inactive_go_to_the_changed_form_of_a_paragraph() -> None:
    present = fresh(LAMP, BELL)
    present[0].questions = ["When does the lamp burn?"]
    present[1].is_active = False
    outcome = match(present, fresh(LAMP.replace("night", "evening"), BELL.replace("fog", "mist"), ROPE))
    assert [(p.questions, p.is_active) for p in outcome.paragraphs] == [
        (["When does the lamp burn?"], True),
        ([], False),
        ([], True),
    ]
    assert not {p.id for p in present} & {p.id for p in outcome.paragraphs}, "other text, other ids"


def test_other_split_settings_hand_questions_down_by_place() -> None:
    (whole,) = fresh(f"{LAMP}\n\n{BELL}")
    whole.questions = ["When does the lamp burn?"]
    outcome = match([whole], fresh(LAMP, BELL), same_text=True)
    assert [p.questions for p in outcome.paragraphs].count(["When does the lamp burn?"]) == 1
    inactive = replace(whole, is_active=False)
    assert [p.is_active for p in match([inactive], fresh(LAMP, BELL), same_text=True).paragraphs] == [
        False,
        False,
    ]


def test_rows_from_before_origins_were_kept_are_known_by_what_they_say() -> None:
    present = [replace(record, origins=[]) for record in fresh(LAMP, LAMP, BELL)]
    outcome = match(present, fresh(LAMP, LAMP, ROPE))
    assert [p.id for p in outcome.paragraphs[:2]] == [p.id for p in present[:2]]
    assert contents(outcome.paragraphs) == [LAMP, LAMP, ROPE]


def test_a_snapshot_gives_back_what_it_was_made_of() -> None:
    one, two = fresh(LAMP, "“引号” 🙂 \u2028 end")
    two.questions, two.boxes, two.meta = ["谁？"], [[1, 0.5, 2, 3, 4]], {"has_table": True}
    held = decode(encode([one, two], ["abc"]))
    assert held.paragraphs == [one, two]
    assert held.removed_origins == ["abc"]


WORDS = st.lists(
    st.sampled_from(
        [
            "lamp",
            "bell",
            "rope",
            "boat",
            "fog",
            "pier",
            "dawn",
            "night",
            "master",
            "dock",
            "sail",
            "tide",
            "灯",
            "塔",
            "船",
            "港",
        ]
    ),
    min_size=1,
    max_size=12,
).map(" ".join)
FILES = st.lists(WORDS, min_size=1, max_size=10)


@st.composite
def handled(draw: st.DrawFn) -> tuple[list[ParagraphRecord], list[str], list[str]]:
    """Paragraphs of a file after a person worked on them; what was deleted; the texts of the file."""
    texts = draw(FILES)
    present = fresh(*texts)
    removed: list[str] = []
    for _ in range(draw(st.integers(0, 6))):
        if not present:
            break
        i = draw(st.integers(0, len(present) - 1))
        action = draw(st.sampled_from(["edit", "delete", "merge", "split", "add", "ask", "hide"]))
        record = present[i]
        if action == "edit":
            present[i] = replace(
                record,
                content=draw(WORDS) + " (mine)",
                is_edited=True,
                source_title=record.title if record.source_title is None else record.source_title,
                source_content=record.source_text,
            )
        elif action == "delete":
            del present[i]
            others = {origin for other in present for origin in other.origins}
            removed += [origin for origin in record.origins if origin not in others]
        elif action == "merge" and i + 1 < len(present):
            second = present.pop(i + 1)
            both = merged(record, second)
            both.origins = list(dict.fromkeys(both.origins))
            present[i] = both
        elif action == "split" and len(record.content) > 2:
            present[i : i + 1] = cut(record, len(record.content) // 2)
        elif action == "add":
            present.insert(i, added(draw(WORDS) + " (added)"))
        elif action == "ask":
            present[i] = replace(record, questions=[*record.questions, draw(WORDS) + "?"])
        elif action == "hide":
            present[i] = replace(record, is_active=False)
    return present, removed, texts


@given(handled(), FILES)
@settings(max_examples=150, deadline=None)
def test_nothing_is_lost_and_nothing_is_doubled_whatever_was_done_by_hand(
    state: tuple[list[ParagraphRecord], list[str], list[str]], texts: list[str]
) -> None:
    present, removed, _ = state
    file = fresh(*texts)
    outcome = match(present, file, removed)
    ids = [record.id for record in outcome.paragraphs]
    assert len(ids) == len(set(ids))
    # Every paragraph of the file is there once, or stands behind an edit, or was deleted by a person.
    owners: dict[str, int] = {}
    for record in outcome.paragraphs:
        for origin in record.origins:
            owners[origin] = owners.get(origin, 0) + 1
    plain = [record for record in outcome.paragraphs if not record.is_edited]
    assert all(owners[origin] == 1 for record in plain for origin in record.origins)
    for record in file:
        (origin,) = record.origins
        assert origin in owners or origin in removed
    # What is unchanged keeps its id and what people attached to it.
    known = {record.origins[0] for record in file}
    kept = {record.id: record for record in outcome.paragraphs}
    for record in present:
        if not record.origins or (not record.is_edited and record.origins[0] in known):
            assert record.id in kept
            assert kept[record.id].content == record.content
            assert kept[record.id].questions == record.questions
            assert kept[record.id].is_active == record.is_active
    # An edit is kept or reported.
    reported = set(outcome.lost_edits)
    for record in present:
        if record.is_edited:
            assert record.id in kept or record.id in reported


@given(handled())
@settings(max_examples=100, deadline=None)
def test_the_same_file_again_changes_nothing(
    state: tuple[list[ParagraphRecord], list[str], list[str]],
) -> None:
    present, removed, texts = state
    outcome = match(present, fresh(*texts), removed)
    assert {record.id for record in outcome.paragraphs} == {record.id for record in present}
    contents_of = {record.id: record.content for record in present}
    assert all(record.content == contents_of[record.id] for record in outcome.paragraphs)
    assert (outcome.conflicts, outcome.lost_edits) == ([], [])
