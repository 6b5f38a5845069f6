"""The cache of the converted model."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from refdesk.gateway.embedded import EmbeddedModelCacheUnwritable, conversion

CONVERT = (
    "import sys; from pathlib import Path; from refdesk.gateway.embedded.conversion import ensure_converted;"
    "print(ensure_converted(Path(sys.argv[1])).name)"
)


@pytest.fixture
def copied(converted: Path, tmp_path: Path) -> Path:
    """A copy of the converted folder (hard links), free to be damaged."""
    target = tmp_path / "models" / converted.name
    shutil.copytree(converted, target, copy_function=lambda a, b: Path(b).hardlink_to(a))
    return target


def test_progress_rises_to_its_total(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    folder = conversion.ensure_converted(tmp_path, progress=lambda done, total: seen.append((done, total)))
    assert conversion.is_complete(folder)
    assert seen == sorted(seen)
    assert seen[0][0] == 0
    assert seen[-1][0] == seen[-1][1] > 0
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


def test_second_call_converts_nothing(copied: Path) -> None:
    seen: list[int] = []
    assert conversion.ensure_converted(copied.parent, progress=lambda done, _: seen.append(done)) == copied
    assert seen == []


@pytest.mark.parametrize("name", [conversion.GRAPH_FILE, conversion.WORDS_FILE, "manifest.json"])
def test_folder_that_lacks_a_file_is_incomplete(copied: Path, name: str) -> None:
    assert conversion.is_complete(copied)
    (copied / name).unlink()
    assert not conversion.is_complete(copied)


def test_incomplete_folder_is_replaced(copied: Path) -> None:
    (copied / conversion.WORDS_FILE).unlink()
    assert conversion.ensure_converted(copied.parent) == copied
    assert conversion.is_complete(copied)


def test_short_file_makes_the_folder_incomplete(copied: Path) -> None:
    content = (copied / conversion.POSITIONS_FILE).read_bytes()
    (copied / conversion.POSITIONS_FILE).unlink()
    (copied / conversion.POSITIONS_FILE).write_bytes(content[:-1])
    assert not conversion.is_complete(copied)


def test_two_processes_may_convert_at_once(tmp_path: Path) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", CONVERT, tmp_path], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    names = [process.communicate(timeout=60)[0].strip() for process in started]
    assert [process.returncode for process in started] == [0, 0]
    assert names[0] == names[1]
    assert [path.name for path in tmp_path.iterdir()] == [names[0]]
    assert conversion.is_complete(tmp_path / names[0])


def test_draft_left_by_a_killed_process_is_neither_used_nor_kept(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", CONVERT.replace("print(", "print(flush=True);print("), tmp_path],
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    while not list(tmp_path.glob(".draft-*")) and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.wait()
    process.stdout.close()
    drafts = list(tmp_path.glob(".draft-*"))
    assert drafts, "the process ended before it could be killed"
    assert not conversion.is_complete(drafts[0])
    for draft in drafts:
        os.utime(draft, (0, 0))
    folder = conversion.ensure_converted(tmp_path)
    assert conversion.is_complete(folder)
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


def test_unwritable_place_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file where the folder should be")
    with pytest.raises(EmbeddedModelCacheUnwritable):
        conversion.ensure_converted(tmp_path / "models")


def test_builder_of_graphs_is_not_loaded_when_the_cache_is_there(models_dir: Path, converted: Path) -> None:
    code = CONVERT + ";sys.exit('onnx' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, models_dir], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stdout.strip() == converted.name
