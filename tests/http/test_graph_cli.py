"""`refdesk kb graph`: what a base without a graph says, and paths of one that has one."""

from pathlib import Path

from tests.http.test_knowledge_cli import Run, done, run

__all__ = ["run"]  # the fixture


def test_no_graph_is_not_the_same_as_no_paths(run: Run, tmp_path: Path) -> None:
    text = tmp_path / "bus.md"
    text.write_text("# 结构\n\n订单服务依赖消息总线。\n")
    done(run("create", "Bus", "--json"))
    done(run("add", "bus", str(text), "--wait", "--json"))
    without = run("graph", "paths", "bus", "订单服务")
    assert without.exit_code != 0
    assert "has no knowledge graph" in without.output
    assert "No paths." not in without.output
    done(run("graph", "build", "bus", "--json"))
    assert "消息总线" in run("graph", "paths", "bus", "订单服务").stdout
    nothing = run("graph", "paths", "bus", "企鹅")
    assert (nothing.exit_code, nothing.stdout.strip()) == (1, "No paths.")
