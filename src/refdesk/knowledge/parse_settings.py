"""How a base's or document's settings and the process's limits become the options of one parse."""

from refdesk.kit.settings import Settings
from refdesk.knowledge.parsing import ParseOptions
from refdesk.knowledge.schemas import SplitOptions


def parse_options(options: SplitOptions, limits: Settings, password: str | None = None) -> ParseOptions:
    """The options of one parse, from what people chose and what the process allows."""
    return ParseOptions(
        password=password,
        include_comments=options.include_comments,
        include_running=options.include_running,
        sheet_form=options.sheet_form,
        max_output_bytes=limits.parse_max_output_bytes,
        max_pages=limits.parse_max_pages,
        max_unpacked_bytes=limits.parse_max_unpacked_bytes,
        max_unpack_ratio=limits.parse_max_unpack_ratio,
        max_nesting=limits.parse_max_nesting,
        max_members=limits.parse_max_members,
        ocr=limits.ocr,
        max_ocr_pages=limits.ocr_max_pages,
        ocr_timeout_s=limits.ocr_timeout_s,
        ocr_page_timeout_s=limits.ocr_page_timeout_s,
        ocr_threads=limits.ocr_threads,
    )
