"""What a container holds, told without reading it: names of its members instead of its first bytes.

The first 64 KiB of an archive may be the inside of its first member, and the directory of an old Office file
may lie anywhere; so parsers of containers are asked with the list of names.
"""

import io
import zipfile

from refdesk.knowledge.parsing.blocks import ParseOptions
from refdesk.knowledge.parsing.container import ZIP_MAGIC
from refdesk.knowledge.parsing.errors import CorruptFile, PasswordRequired

HEAD_BYTES = 64 * 1024
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_START = 128
_MAX_NAMES = 20_000


def head_of(data: bytes) -> bytes:
    """The beginning of a file; of a container its first 128 bytes and its member names, one a line.

    A container whose directory cannot be read gives its beginning like any other file.
    """
    names: list[str] = []
    if data.startswith(ZIP_MAGIC):
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                names = archive.namelist()[:_MAX_NAMES]
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
            pass
    elif data.startswith(OLE_MAGIC):
        names = ole_names(data)
    if not names:
        return data[:HEAD_BYTES]
    return data[:_START] + b"\n" + "\n".join(names).encode("utf-8", "replace") + b"\n"


def ole_names(data: bytes) -> list[str]:
    """Paths of the streams of an OLE file; empty where it cannot be read."""
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            return ["/".join(path) for path in ole.listdir()]
    except (OSError, ValueError, IndexError, TypeError, AttributeError):
        return []


def unlock(data: bytes, options: ParseOptions) -> bytes:
    """The file without its password, where it is an encrypted Office file; otherwise the same bytes.

    Raises `PasswordRequired` when the password is missing or wrong.
    """
    if not data.startswith(OLE_MAGIC):
        return data
    names = set(ole_names(data))
    if not names & {"EncryptionInfo", "WordDocument", "Workbook"}:
        return data
    import msoffcrypto
    from msoffcrypto.exceptions import DecryptionError, FileFormatError, InvalidKeyError

    try:
        office = msoffcrypto.OfficeFile(io.BytesIO(data))
        if not office.is_encrypted():
            return data
        if not options.password:
            raise PasswordRequired
        out = io.BytesIO()
        office.load_key(password=options.password)
        office.decrypt(out)
    except (InvalidKeyError, DecryptionError) as error:
        raise PasswordRequired from error
    except FileFormatError:
        return data
    except (ValueError, KeyError, IndexError, TypeError, OSError, NotImplementedError) as error:
        raise CorruptFile(reason=str(error)[:200]) from error
    return out.getvalue()
