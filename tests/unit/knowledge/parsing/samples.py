"""One small, complete file for each kind, with the texts that must come out of it once each and in order."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from PIL import Image, ImageDraw, ImageFont
from reportlab.pdfgen.canvas import Canvas
from tests.unit.knowledge.parsing import docx_files, msg_files, ole_files, package_files

TEXTS = ("Quantity of heat", "First passage about apples", "Second passage about pears", "Amount 4711")
_HEAD, _ONE, _TWO, _THREE = TEXTS


@dataclass(frozen=True)
class Sample:
    """A file, what it holds, and whether its first text is a heading."""

    name: str
    data: bytes
    texts: tuple[str, ...] = TEXTS
    heading: bool = True
    packed: bool = False


def _pdf() -> bytes:
    out = io.BytesIO()
    page = Canvas(out, invariant=1)
    page.setFont("Helvetica-Bold", 20)
    page.drawString(72, 760, _HEAD)
    page.setFont("Helvetica", 11)
    for i, text in enumerate(TEXTS[1:]):
        page.drawString(72, 700 - 60 * i, f"{text} and some further words, which end here.")
    page.save()
    return out.getvalue()


def _png() -> bytes:
    picture = Image.new("RGB", (620, 300), "white")
    draw = ImageDraw.Draw(picture)
    draw.text((30, 20), _HEAD, "black", ImageFont.load_default(34))
    for i, text in enumerate(TEXTS[1:]):
        draw.text((30, 100 + 60 * i), text, "black", ImageFont.load_default(20))
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def _docx() -> bytes:
    head = docx_files.p(_HEAD, docx_files.style("H1"))
    return docx_files.docx(head + "".join(docx_files.p(text) for text in TEXTS[1:]))


def _odt() -> bytes:
    body = f'<text:h text:outline-level="1">{_HEAD}</text:h>'
    return package_files.odf("text", body + "".join(f"<text:p>{text}</text:p>" for text in TEXTS[1:]))


def _ods() -> bytes:
    rows = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in pair)
        + "</table:table-row>"
        for pair in (TEXTS[1:3], (_THREE, "x"))
    )
    return package_files.odf("spreadsheet", f'<table:table table:name="{_HEAD}">{rows}</table:table>')


def _odp() -> bytes:
    title = f"<draw:text-box><text:p>{_HEAD}</text:p></draw:text-box>"
    frames = f'<draw:frame presentation:class="title">{title}</draw:frame>'
    lines = "".join(f"<text:p>{text}</text:p>" for text in TEXTS[1:])
    frames += f"<draw:frame><draw:text-box>{lines}</draw:text-box></draw:frame>"
    return package_files.odf("presentation", f"<draw:page>{frames}</draw:page>")


def _zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{_HEAD}.txt", f"{_ONE}\n\n{_TWO}")
        archive.writestr("folder/b.md", f"# Other\n\n{_THREE}")
    return out.getvalue()


def _notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "source": [f"# {_HEAD}\n", "\n", _ONE]},
        {
            "cell_type": "code",
            "source": f"# {_TWO}",
            "outputs": [{"output_type": "stream", "text": [_THREE]}],
        },
    ]
    return json.dumps({"nbformat": 4, "cells": cells, "metadata": {}}).encode()


def _mail() -> bytes:
    return (
        f"From: a@example.org\r\nTo: b@example.org\r\nSubject: {_HEAD}\r\nMIME-Version: 1.0\r\n"
        f"Content-Type: text/plain; charset=utf-8\r\n\r\n{_ONE}\r\n\r\n{_TWO}\r\n\r\n{_THREE}\r\n"
    ).encode()


_BODY = f"<h1>{_HEAD}</h1><p>{_ONE}</p><p>{_TWO}</p><p>{_THREE}</p>"
_PLAIN = "\n\n".join(TEXTS)
_PLAIN_BODY = "\n\n".join(TEXTS[1:])
_MAKERS: dict[str, tuple[str, Callable[[], bytes], bool, bool]] = {
    "pdf": ("a.pdf", _pdf, True, False),
    "image": ("a.png", _png, True, False),
    "docx": ("a.docx", _docx, True, True),
    "pptx": (
        "a.pptx",
        lambda: package_files.pptx(
            package_files.shape(_HEAD, 'type="title"') + package_files.shape("\n".join(TEXTS[1:]))
        ),
        True,
        True,
    ),
    "xlsx": (
        "a.xlsx",
        lambda: package_files.xlsx(package_files.sheet_rows([[_ONE, _TWO], [_THREE, "x"]]), names=[_HEAD]),
        False,
        True,
    ),
    "xls": ("a.xls", lambda: ole_files.xls([[_ONE, _TWO], [_THREE, 1.5]], _HEAD), False, False),
    "odt": ("a.odt", _odt, True, True),
    "ods": ("a.ods", _ods, False, True),
    "odp": ("a.odp", _odp, True, True),
    "epub": (
        "a.epub",
        lambda: package_files.epub({"one.xhtml": f"<html><body>{_BODY}</body></html>"}),
        True,
        True,
    ),
    "zip": ("a.zip", _zip, True, False),
    "doc": (
        "a.doc",
        lambda: ole_files.doc([ole_files.Para(_HEAD, 1), *map(ole_files.Para, TEXTS[1:])]),
        True,
        False,
    ),
    "rtf": (
        "a.rtf",
        lambda: (
            r"{\rtf1\ansi{\stylesheet{\s1 heading 1;}}\pard\s1 " + r"\par\pard ".join(TEXTS) + r"\par}"
        ).encode(),
        True,
        False,
    ),
    "eml": ("a.eml", _mail, True, False),
    "msg": ("a.msg", lambda: msg_files.msg({0x0037: _HEAD, 0x1000: _PLAIN_BODY}), True, False),
    "csv": ("a.csv", lambda: f"{_HEAD},{_ONE}\n{_TWO},{_THREE}\n".encode(), False, False),
    "notebook": ("a.ipynb", _notebook, True, False),
    "json": ("a.json", lambda: json.dumps(list(TEXTS)).encode(), False, False),
    "html": ("a.html", lambda: f"<!DOCTYPE html><html><body>{_BODY}</body></html>".encode(), True, False),
    "markdown": ("a.md", lambda: f"# {_PLAIN}\n".encode(), True, False),
    "text": ("a.txt", _PLAIN.encode, False, False),
}


@cache
def sample(kind: str) -> Sample:
    """The sample of a kind; a kind without one is a `KeyError`."""
    name, make, heading, packed = _MAKERS[kind]
    texts = TEXTS[1:] if kind in ("xlsx", "xls", "ods") else TEXTS
    return Sample(name, make(), texts, heading, packed)
