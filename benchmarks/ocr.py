"""How well, how fast and with how much memory OCR reads pages: `python -m benchmarks.ocr FILE.pdf…`.

Pages of PDFs with a good text layer are drawn at a resolution, some of them turned, skewed or made noisy as
scanners do, and what OCR reads is compared with the layer by the characters of both, order left aside
(columns are no matter of OCR). Prints one line a page and variant, and the totals.
"""

import argparse
import io
import resource
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pypdfium2
from PIL import Image, ImageFilter

from refdesk.knowledge.parsing import ParseOptions
from refdesk.knowledge.parsing.ocr import allowance
from refdesk.knowledge.parsing.ocr.picture_pages import read_frame
from refdesk.knowledge.parsing.ocr.pictures import open_picture


def _noisy(page: Image.Image) -> Image.Image:
    """A soft, grey, compressed copy, as an old scanner makes it."""
    grey = page.convert("L").filter(ImageFilter.GaussianBlur(0.8))
    values = np.asarray(grey, dtype=np.float32) * 0.85 + 20
    values += np.random.default_rng(1).normal(0, 8, values.shape)
    out = io.BytesIO()
    Image.fromarray(values.clip(0, 255).astype(np.uint8)).save(out, "JPEG", quality=40)
    return Image.open(out)


VARIANTS = {
    "clean": lambda page: page,
    "noisy": _noisy,
    "skewed 2°": lambda page: page.rotate(2, fillcolor="white", resample=Image.Resampling.BICUBIC),
    "turned 90°": lambda page: page.rotate(90, expand=True),
}


def _counts(text: str) -> Counter[str]:
    return Counter(c for c in text if not c.isspace())


def main() -> None:
    """Read every page in every variant."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("files", nargs="+", type=Path)
    arguments.add_argument("--pages", type=int, default=1, help="pages of each file")
    arguments.add_argument("--dpi", type=int, default=200)
    arguments.add_argument("--threads", type=int, default=1)
    chosen = arguments.parse_args()
    options = ParseOptions(ocr_threads=chosen.threads, max_ocr_pages=10_000, ocr_timeout_s=36_000)
    left = allowance(options)
    totals: dict[str, list[float]] = {}
    for path in chosen.files:
        document = pypdfium2.PdfDocument(path)
        for number in range(min(chosen.pages, len(document))):
            page = document[number]
            wanted = _counts(page.get_textpage().get_text_range())
            drawn = page.render(scale=chosen.dpi / 72).to_pil().convert("RGB")
            for name, change in VARIANTS.items():
                out = io.BytesIO()
                change(drawn).save(out, "PNG")
                frame = next(open_picture(out.getvalue()).read())
                begin, cpu = time.perf_counter(), time.process_time()
                seen = read_frame(frame, left)
                wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
                read = _counts("".join(line.text for line in seen.lines))
                right = (wanted & read).total()
                row = (right, wanted.total(), read.total(), cpu, wall, 1)
                totals[name] = [a + b for a, b in zip(totals.get(name, [0.0] * 6), row, strict=True)]
                print(
                    f"{path.name} p{number + 1} {name}: recall {right / wanted.total():.4f}, "
                    f"precision {right / max(1, read.total()):.4f}, cpu {cpu:.2f} s, "
                    f"confidence {seen.confidence:.3f}"
                )
    for name, (right, wanted_total, read_total, cpu, wall, pages) in totals.items():
        print(
            f"{name}: {pages:.0f} pages, recall {right / wanted_total:.4f}, "
            f"precision {right / read_total:.4f}, {cpu / pages:.2f} s of CPU and {wall / pages:.2f} s a page"
        )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
