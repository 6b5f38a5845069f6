"""Which paragraph of a new version is which of the present one: pure, linear in the length of both texts.

A paragraph that the file still has keeps its row, and with it id, questions, flags and index entries. What
people did is kept: an edit, a split or a merge stays also where the file says something else now, and is
reported; a paragraph that a person added stays behind the one it stood behind; one that a person deleted
stays deleted. What the file no longer has goes, and so nothing is lost that the snapshot does not hold.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from refdesk.knowledge.passage_metadata import said_of, with_said
from refdesk.knowledge.versions.records import OriginNames, ParagraphRecord
from refdesk.knowledge.versions.resemblance import Wanted, counterparts


@dataclass(slots=True)
class Match:
    """The new version: `paragraphs` in order; those with an id of the present version keep their row.

    `conflicts`: edits that were kept although the file says something else there now. `lost_edits`: edited
    paragraphs of the present version whose text is gone from the file.
    """

    paragraphs: list[ParagraphRecord] = field(default_factory=list[ParagraphRecord])
    conflicts: list[UUID] = field(default_factory=list[UUID])
    lost_edits: list[UUID] = field(default_factory=list[UUID])


def match(
    present: Sequence[ParagraphRecord],
    fresh: Sequence[ParagraphRecord],
    removed_origins: Iterable[str] = (),
    *,
    same_text: bool = False,
) -> Match:
    """Match the present paragraphs to what the splitter made of the new text.

    `same_text`: only the settings of splitting changed. Then an edit whose own paragraph is not there any
    more is dropped, for its text is elsewhere now and would appear twice.
    """
    return _Matching(present, fresh, set(removed_origins), same_text=same_text).result()


@dataclass(slots=True)
class _Group:
    """Present paragraphs that stand for the same origins: one as a rule, several after a split by hand."""

    rows: list[ParagraphRecord]
    is_edited: bool
    found: list[int] = field(default_factory=list[int])  # indexes of the fresh ones that it stands for
    changed: list[int] = field(default_factory=list[int])  # and of those that took the place of others
    is_kept: bool = False


class _Matching:
    def __init__(
        self,
        present: Sequence[ParagraphRecord],
        fresh: Sequence[ParagraphRecord],
        removed: set[str],
        *,
        same_text: bool,
    ) -> None:
        self.present = _named(present)
        self.fresh = fresh
        self.same_text = same_text
        self.index = {record.origins[0]: i for i, record in enumerate(fresh)}
        self.groups = _groups(self.present)
        self.taken: set[int] = set()
        self.outcome = Match()
        stood_for = {origin for row in self.present for origin in row.origins}
        self.dropped = {i for origin, i in self.index.items() if origin in removed - stood_for}

    def result(self) -> Match:
        self._find()
        self._resolve_changes()
        self._hand_down()
        self._arrange()
        return self.outcome

    def _find(self) -> None:
        """Exact matches by origin; a group that is found whole keeps all its rows."""
        for group in self.groups:
            origins = dict.fromkeys(origin for row in group.rows for origin in row.origins)
            group.found = sorted(self.index[origin] for origin in origins if origin in self.index)
            group.is_kept = bool(origins) and len(group.found) == len(origins)
            if group.is_kept:
                self.taken.update(group.found)

    def _resolve_changes(self) -> None:
        """Edited groups whose text changed: keep the edit in the place of what the file says now."""
        if self.same_text:
            return
        changed = [g for g in self.groups if g.is_edited and not g.is_kept and g.rows[0].origins]
        for group in changed:
            self.taken.update(group.found)
        wanted = [
            Wanted(
                "\n".join(dict.fromkeys(row.source_text for row in group.rows)),
                (*group.rows[0].title_chain, _source_title(group.rows[0])),
                len({origin for row in group.rows for origin in row.origins}) - len(group.found),
            )
            for group in changed
        ]
        for group, found in zip(changed, self._counterparts(wanted), strict=True):
            group.changed = found
            self.taken.update(found)
            group.is_kept = bool(group.found or group.changed)
            if not group.is_kept:
                self.outcome.lost_edits += [row.id for row in group.rows]
            elif self._adopt(group):
                self.outcome.conflicts += [row.id for row in group.rows]

    def _counterparts(self, wanted: Sequence[Wanted]) -> list[list[int]]:
        free = [i for i in range(len(self.fresh)) if i not in self.taken and i not in self.dropped]
        return counterparts(wanted, self.fresh, free)

    def _adopt(self, group: _Group) -> bool:
        """Let the rows stand for the new origins. True if they differ from what the file says now."""
        drafts = [self.fresh[i] for i in sorted({*group.found, *group.changed})]
        present = {origin for i in group.found for origin in self.fresh[i].origins}
        first: ParagraphRecord | None = None
        for row in group.rows:
            missing = [origin for origin in row.origins if origin not in present]
            row.origins = [origin for origin in row.origins if origin in present]
            if missing:
                row.origins += [origin for i in group.changed for origin in self.fresh[i].origins]
                first = first or row
        if first is not None:
            first.source_title = drafts[0].title
            first.source_content = "\n\n".join(draft.content for draft in drafts)
        # Rows whose whole text went need a name for a text that is there.
        fallback = drafts[0].origins
        for row in group.rows:
            row.origins = row.origins or list(fallback)
        if len(group.rows) == 1 and len(drafts) == 1:
            row, draft = group.rows[0], drafts[0]
            row.title_chain = list(draft.title_chain)
            if _says(row, draft):
                row.is_edited, row.source_title, row.source_content = False, None, None
                return False
        return True

    def _hand_down(self) -> None:
        """What people did to rows that go, to the fresh paragraphs that have their text now."""
        going = [row for g in self.groups if not g.is_kept and g.rows[0].origins for row in g.rows]
        leaving = [row for row in going if row.questions or not row.is_active or said_of(row.meta)]
        if self.same_text:
            self._hand_down_by_place(leaving)
            return
        wanted = [Wanted(row.content, (*row.title_chain, row.title), 1) for row in leaving]
        for row, found in zip(leaving, self._counterparts(wanted), strict=True):
            for i in found:
                self.fresh[i].is_active = row.is_active
                _give(self.fresh[i], row)

    def _hand_down_by_place(self, leaving: Sequence[ParagraphRecord]) -> None:
        for row in leaving:
            shared = {
                i: min(row.end, self.fresh[i].end) - max(row.start, self.fresh[i].start)
                for i in range(self._at(row.start), self._at(row.end) + 1)
                if i not in self.taken and i not in self.dropped
            }
            if not shared:
                continue
            _give(self.fresh[max(shared, key=lambda i: shared[i])], row)
            for i, length in shared.items():
                if not row.is_active and 2 * length >= self.fresh[i].end - self.fresh[i].start:
                    self.fresh[i].is_active = False

    def _at(self, offset: int) -> int:
        """Index of the fresh paragraph at this offset of the text; there is at least one."""
        return max(bisect_right(self.fresh, offset, key=lambda record: record.start) - 1, 0)

    def _arrange(self) -> None:
        group_of = {row.id: group for group in self.groups for row in group.rows}
        before: list[ParagraphRecord] = []
        at: list[list[ParagraphRecord]] = [[] for _ in self.fresh]
        last: list[ParagraphRecord] = before
        for row in self.present:
            group = group_of[row.id]
            places = sorted({*group.found, *group.changed})
            if not row.origins:
                last.append(row)
            elif group.is_kept:
                at[places[0]].append(_placed(row, group, [self.fresh[i] for i in places]))
                last = at[places[-1]]
            elif self.same_text and self.fresh:
                last = at[self._at(row.start)]
        result = list(before)
        for i, record in enumerate(self.fresh):
            if i not in self.taken and i not in self.dropped:
                result.append(record)
            result += at[i]
        self.outcome.paragraphs = result


def _give(heir: ParagraphRecord, row: ParagraphRecord) -> None:
    heir.questions = list(dict.fromkeys((*heir.questions, *row.questions)))
    heir.meta = with_said(heir.meta, said_of(row.meta) | said_of(heir.meta))


def _named(rows: Sequence[ParagraphRecord]) -> list[ParagraphRecord]:
    """Copies to work on. What was split before origins were kept is named by what it says."""
    names = OriginNames()
    copies = [replace(row, origins=list(row.origins), questions=list(row.questions)) for row in rows]
    for row in copies:
        if not row.origins and not row.is_edited:
            row.origins = [names.name(row.title_chain, row.title, row.content)]
    return copies


def _groups(rows: Sequence[ParagraphRecord]) -> list[_Group]:
    """Rows that share an origin, directly or through others, in the order of the first of each."""
    leader: dict[str, int] = {}
    parent = list(range(len(rows)))

    def find(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, row in enumerate(rows):
        for origin in row.origins:
            other = leader.setdefault(origin, i)
            parent[find(i)] = find(other)
    collected: dict[int, list[ParagraphRecord]] = {}
    for i, row in enumerate(rows):
        collected.setdefault(find(i), []).append(row)
    return [_Group(members, any(row.is_edited for row in members)) for members in collected.values()]


def _placed(row: ParagraphRecord, group: _Group, drafts: Sequence[ParagraphRecord]) -> ParagraphRecord:
    """The row with the place in the new file."""
    first, last = drafts[0], drafts[-1]
    if len(group.rows) == 1:
        boxes = [box for draft in drafts for box in draft.boxes]
        row.page, row.boxes, row.start, row.end = first.page, boxes, first.start, last.end
        found = {key: value for draft in reversed(drafts) for key, value in draft.meta.items()}
        row.meta = with_said(found, said_of(row.meta))
    else:
        shift = first.start - min(other.start for other in group.rows)
        row = replace(row, start=row.start + shift, end=row.end + shift, page=first.page, boxes=first.boxes)
    return row


def _source_title(row: ParagraphRecord) -> str:
    return row.title if row.source_title is None else row.source_title


def _says(row: ParagraphRecord, draft: ParagraphRecord) -> bool:
    return (row.title, row.content) == (draft.title, draft.content)
