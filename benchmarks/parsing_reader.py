"""Read files with one reader and print time, memory and characters as JSON; run by `benchmarks/parsing.py`.

Usage: `python parsing_reader.py READER FILE…`. Runs under the interpreter that has the reader, in a process
of its own, so that the peak of memory is that of this reading. Importing is not counted as reading.
"""

import gc
import importlib
import json
import sys
import time
from pathlib import Path


def refdesk():
    """The product, loaded as its parsing process loads it."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
    child = importlib.import_module("importlib.util")
    spec = child.spec_from_file_location(
        "child", Path(__file__).resolve().parents[1] / "src/refdesk/knowledge/parsing/child.py"
    )
    module = child.module_from_spec(spec)
    spec.loader.exec_module(module)
    module._load_parsing_alone()
    gc.disable()  # as the parsing process does
    selection = importlib.import_module("refdesk.knowledge.parsing.selection")
    wire = importlib.import_module("refdesk.knowledge.parsing.wire")

    def read(path):
        parsed = selection.parse(path.read_bytes(), path.name)
        return len(wire.encode_parsed(parsed)) and sum(len(block.text) for block in parsed.blocks)

    return read


def markitdown():
    converter = importlib.import_module("markitdown").MarkItDown(enable_plugins=False)
    return lambda path: len(converter.convert(str(path)).text_content)


def kreuzberg():
    module = importlib.import_module("kreuzberg")
    config = module.ExtractionConfig(use_cache=False)
    return lambda path: len(module.extract_file_sync(str(path), config=config).content)


def pypdf():
    reader = importlib.import_module("pypdf").PdfReader

    def read(path):
        if path.suffix != ".pdf":
            raise ValueError("pypdf reads PDF only")
        return sum(len(page.extract_text()) for page in reader(str(path)).pages)

    return read


def pdfminer():
    extract = importlib.import_module("pdfminer.high_level").extract_text

    def read(path):
        if path.suffix != ".pdf":
            raise ValueError("pdfminer reads PDF only")
        return len(extract(str(path)))

    return read


READERS = {f.__name__: f for f in (refdesk, markitdown, kreuzberg, pypdf, pdfminer)}


def peak_bytes():
    """The process's own peak; `ru_maxrss` would begin with that of the process it was forked from."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def main():
    read = READERS[sys.argv[1]]()
    for name in sys.argv[2:]:
        result: dict[str, object] = {"file": name}
        begin, cpu = time.perf_counter(), time.process_time()
        try:
            result["characters"] = read(Path(name))
        except Exception as error:  # noqa: BLE001 - a rival's failure is a result
            result["error"] = f"{type(error).__name__}: {error}"[:200]
        result |= {
            "seconds": time.perf_counter() - begin,
            "cpu_s": time.process_time() - cpu,
            "peak_mb": peak_bytes() / 1024**2,
        }
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
