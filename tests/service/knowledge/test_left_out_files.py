"""A document made from an archive tells what of it was not read."""

import io
import zipfile

import pytest

from refdesk.testing.desk import Desk


async def test_files_left_out_of_an_archive_are_counted_and_named_on_its_document(desk: Desk) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("a.txt", "The lamp of the harbour.")
        archive.writestr("b.pdf", b"%PDF-1.7 broken")
        archive.writestr("c.exe", b"\x7fELF" + bytes(99))
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, data.getvalue(), "a.zip"))
    assert document.error is None
    assert (document.state, document.files_read, document.files_left_out) == ("ready", 1, 2)
    assert document.needs_attention
    assert document.coverage == pytest.approx(1 / 2, abs=0.05)
    assert [(warning.code, warning.details) for warning in document.warnings] == [
        ("member-skipped", {"name": "b.pdf", "cause": "corrupt-file"}),
        ("member-skipped", {"name": "c.exe", "cause": "unsupported-kind"}),
    ]
    plain = await desk.process(await desk.file(base.id, b"Only words.", "a.txt"))
    assert (plain.files_read, plain.files_left_out) == (None, None)
