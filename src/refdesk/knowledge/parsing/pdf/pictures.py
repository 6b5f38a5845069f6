"""How much of a page is covered by pictures: what tells a scan from a page with an illustration."""

from refdesk.knowledge.parsing.pdf.glyphs import Frame
from refdesk.knowledge.parsing.pdf.vendor import Handle, raw

_MOST = 200


def pictured_share(page: Handle, frame: Frame) -> float:
    """Share of the page that its largest pictures cover, 0–1; overlapping ones are counted twice, up to 1."""
    total = 0.0
    for n, item in enumerate(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=4)):
        if n >= _MOST:
            break
        left, bottom, right, top = item.get_bounds()
        x0, y0, x1, y1 = frame.box(left, bottom, right, top)
        wide = min(x1, frame.width) - max(x0, 0.0)
        high = min(y1, frame.height) - max(y0, 0.0)
        total += max(wide, 0.0) * max(high, 0.0)
    return min(total / max(frame.width * frame.height, 1.0), 1.0)
