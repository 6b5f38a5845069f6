"""An export that comes from strangers, checked as a whole before a single row is written.

Walks every line, every reference, every file's digest and every vector once, in memory that is bounded by
the largest document; what it lets pass is read again without surprises.
"""

import hashlib
from dataclasses import dataclass
from typing import IO
from uuid import UUID

from refdesk.knowledge.exchange.archive import Archive, opened, require
from refdesk.knowledge.exchange.errors import ArchiveInvalid
from refdesk.knowledge.exchange.records import (
    DOCUMENTS,
    ENTRIES,
    FILES,
    MANIFEST,
    PARAGRAPHS,
    QUESTIONS,
    SNAPSHOTS,
    SOURCE_ITEMS,
    SOURCES,
    TERMS,
    VECTORS,
    VERSIONS,
    DocumentRecord,
    EntryLine,
    ManifestRecord,
    ParagraphLine,
    QuestionLine,
    SnapshotLine,
    SourceItemLine,
    SourceRecord,
    TermLine,
    VersionLine,
)
from refdesk.knowledge.sources.crawl import start_address
from refdesk.knowledge.sources.errors import AddressInvalid, SelectorInvalid
from refdesk.knowledge.sources.pages import check_selector
from refdesk.knowledge.sources.schemas import WebsiteConfig
from refdesk.knowledge.terms import MAX_WORDS, CleanTerm, TermInvalid, clean_term


@dataclass(frozen=True, slots=True)
class Contents:
    """What a checked archive holds."""

    manifest: ManifestRecord
    documents: int
    paragraphs: int
    questions: int
    entries: int
    files: int


def check(file: IO[bytes], max_bytes: int) -> Contents:
    """Read everything once. Raises `ArchiveInvalid`, `ArchiveTooLarge`, `ArchiveVersionUnknown`."""
    with opened(file, max_bytes) as archive:
        manifest = archive.manifest()
        questions = _check_questions(archive)
        archived_terms(archive)
        sources = _check_sources(archive)
        files, versions = _check_documents(archive, sources)
        paragraphs = _check_paragraphs(archive, len(versions), questions)
        files |= _check_versions(archive, versions)
        _check_source_items(archive, sources, len(versions))
        entries = _check_entries(archive, manifest, paragraphs, questions)
        present = set(archive.file_names())
        require(files <= present, FILES, "A document's file is missing.")
        for name in present:
            _check_file(archive, name)
        return Contents(manifest, len(versions), sum(paragraphs), questions, entries, len(present))


def _check_questions(archive: Archive) -> int:
    seen: set[bytes] = set()
    for question in archive.lines(QUESTIONS, QuestionLine):
        digest = hashlib.blake2b(question.content.encode("utf-8", "replace"), digest_size=16).digest()
        require(digest not in seen, QUESTIONS, "A question is there twice.")
        seen.add(digest)
    return len(seen)


def archived_terms(archive: Archive) -> list[CleanTerm]:
    """The term base of an archive. Raises `ArchiveInvalid`."""
    terms: list[CleanTerm] = []
    seen: set[str] = set()
    for line in archive.lines(TERMS, TermLine):
        try:
            clean = clean_term(line.word, line.synonyms)
        except TermInvalid as error:
            raise ArchiveInvalid(member=TERMS, reason=error.text) from None
        require(seen.isdisjoint(clean.keys), TERMS, "A word is in two terms.")
        seen.update(clean.keys)
        require(len(seen) <= MAX_WORDS, TERMS, "There are too many terms.")
        terms.append(clean)
    return terms


def _check_documents(archive: Archive, sources: int) -> tuple[set[str], list[int]]:
    """The files of the documents, and the number of the present version of each."""
    files: set[str] = set()
    versions: list[int] = []
    for document in archive.lines(DOCUMENTS, DocumentRecord):
        require(document.source is None or document.source < sources, DOCUMENTS, "There is no such source.")
        versions.append(document.version)
        if document.file is not None:
            files.add(document.file)
    return files, versions


def _check_paragraphs(archive: Archive, documents: int, questions: int) -> list[int]:
    counts = [0] * documents
    last = 0
    keys: set[UUID] = set()
    for paragraph in archive.lines(PARAGRAPHS, ParagraphLine):
        require(
            last <= paragraph.d < documents,
            PARAGRAPHS,
            "A paragraph is of no document, or out of order.",
        )
        require(all(q < questions for q in paragraph.questions), PARAGRAPHS, "There is no such question.")
        if paragraph.d != last:
            keys.clear()
        last = paragraph.d
        counts[last] += 1
        if paragraph.key is not None:
            require(paragraph.key not in keys, PARAGRAPHS, "A paragraph is there twice.")
            keys.add(paragraph.key)
    return counts


def _check_versions(archive: Archive, current: list[int]) -> set[str]:
    """The files of the versions. Snapshots are of versions that have one, in the order of these."""
    files: set[str] = set()
    with_snapshot: set[tuple[int, int]] = set()
    last, pending = (-1, 0), -1
    for version in archive.lines(VERSIONS, VersionLine):
        place = (version.d, version.number)
        require(last < place and version.d < len(current), VERSIONS, "There is no such document.")
        is_later = version.number > current[version.d]
        is_earlier = version.number < current[version.d] and version.replaced_at is not None
        require(is_earlier or not version.has_snapshot, VERSIONS, "Only earlier versions have a snapshot.")
        require(is_later == (version.state is not None), VERSIONS, "A version is made, or it is there.")
        if is_later:
            require(pending != version.d, VERSIONS, "Only one version is made at once.")
            pending = version.d
            is_there = version.restores is None or (version.d, version.restores) in with_snapshot
            require(is_there, VERSIONS, "There is no version to bring back.")
        if version.has_snapshot:
            with_snapshot.add(place)
        if version.file is not None:
            files.add(version.file)
        last = place
    _check_snapshots(archive, with_snapshot)
    return files


def _check_snapshots(archive: Archive, versions: set[tuple[int, int]]) -> None:
    last = (-1, 0)
    keys: set[UUID | None] = set()
    for line in archive.lines(SNAPSHOTS, SnapshotLine):
        place = (line.d, line.number)
        require(
            place in versions and last <= place, SNAPSHOTS, "A paragraph is of no version, or out of order."
        )
        if place != last:
            keys.clear()
        require(line.key is not None and line.key not in keys, SNAPSHOTS, "A paragraph is there twice.")
        keys.add(line.key)
        last = place


def _check_sources(archive: Archive) -> int:
    count = 0
    for source in archive.lines(SOURCES, SourceRecord):
        count += 1
        if isinstance(source.config, WebsiteConfig):
            try:
                start_address(source.config.url)
                if source.config.selector:
                    check_selector(source.config.selector)
            except (AddressInvalid, SelectorInvalid) as error:
                require(False, SOURCES, error.text)
    return count


def _check_source_items(archive: Archive, sources: int, documents: int) -> None:
    last = 0
    for item in archive.lines(SOURCE_ITEMS, SourceItemLine):
        require(last <= item.s < sources, SOURCE_ITEMS, "An item is of no source, or out of order.")
        require(item.d is None or item.d < documents, SOURCE_ITEMS, "There is no such document.")
        last = item.s


def _check_entries(archive: Archive, manifest: ManifestRecord, paragraphs: list[int], questions: int) -> int:
    entries = 0
    last = (0, 0)
    for entry in archive.lines(ENTRIES, EntryLine):
        place = (entry.d, entry.p)
        require(
            entry.d < len(paragraphs) and place >= last,
            ENTRIES,
            "An entry is of no paragraph, or out of order.",
        )
        require(entry.p < paragraphs[entry.d], ENTRIES, "There is no such paragraph.")
        require(entry.q is None or entry.q < questions, ENTRIES, "There is no such question.")
        last = place
        entries += 1
    if archive.has(VECTORS):
        require(manifest.embedder is not None, MANIFEST, "The vectors' model is not named.")
        assert manifest.embedder is not None
        for _ in archive.vectors(entries, manifest.embedder.dimensions):
            pass
    return entries


def _check_file(archive: Archive, name: str) -> None:
    digest = hashlib.sha256()
    with archive.member(FILES + name) as file:
        while data := file.read(1024 * 1024):
            digest.update(data)
    require(digest.hexdigest() == name, FILES + name, "The file is not what its name says.")
