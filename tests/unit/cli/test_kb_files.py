import os

import pytest

from refdesk.cli._client import InvalidArgument, open_session
from refdesk.cli._kb_sources import files_below


def test_a_folder_gives_its_regular_files_only(tmp_path, capsys):
    (tmp_path / "a.md").write_text("a")
    (tmp_path / ".hidden").write_text("h")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config.md").write_text("h")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link.txt").symlink_to("/etc/passwd")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.md").write_text("b")
    assert [path.name for path in files_below(tmp_path)] == ["a.md", "b.md"]
    assert capsys.readouterr().err.count("is not a regular file") == 2


async def test_a_key_without_a_server_is_refused_instead_of_acting_as_the_operator():
    with pytest.raises(InvalidArgument, match="needs the address"):
        async with open_session(None, "rd-key", None):
            pass
