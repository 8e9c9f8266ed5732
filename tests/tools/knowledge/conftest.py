"""PDFs written byte by byte."""

from __future__ import annotations

from collections.abc import Callable

import pytest


def pdf(pages: list[str], title: str = "", trailer: str = "") -> bytes:
    """A PDF with one line of text a page; a page without text is blank."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for text in pages:
        lines = text.split("\n")
        drawn = "".join(f"({line}) Tj 0 -14 Td " for line in lines if line)
        stream = f"BT /F1 12 Tf 72 720 Td {drawn}ET".encode("latin-1") if text else b""
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        content = len(objects)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % content
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    objects.append(b"<< /Title (%s) >>" % title.encode())
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R %s >>\n" % (len(objects) + 1, len(objects), trailer.encode())
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


@pytest.fixture(name="pdf")
def pdf_writer() -> Callable[..., bytes]:
    """Writes a PDF."""
    return pdf
