"""Charts of Office files: their title and the values they were drawn from, as a table."""

from refdesk.knowledge.parsing.xml_tree import Element, whole_number


def chart_table(root: Element) -> tuple[str, list[list[str]]]:
    """Title of a chart and its saved values: a row a category, a column a series."""
    heading = root.find("{*}chart/{*}title")
    title = "".join(t.text or "" for t in heading.iter("{*}t")) if heading is not None else ""
    names: list[str] = []
    columns: list[dict[int, str]] = []
    categories: dict[int, str] = {}
    for series in root.iter("{*}ser"):
        names.append(" ".join(v.text or "" for v in series.iterfind("{*}tx//{*}v")))
        labels = series.find("{*}cat")
        labels = series.find("{*}xVal") if labels is None else labels
        values = series.find("{*}val")
        values = series.find("{*}yVal") if values is None else values
        categories |= _points(labels)
        columns.append(_points(values))
    at = sorted({*categories, *(i for column in columns for i in column)})
    body = [[categories.get(i, ""), *(column.get(i, "") for column in columns)] for i in at]
    return title, [["", *names], *body] if body else []


def _points(node: Element | None) -> dict[int, str]:
    points: dict[int, str] = {}
    for point in node.iter("{*}pt") if node is not None else ():
        value = point.find("{*}v")
        if value is not None and value.text:
            points[whole_number(point, "idx")] = value.text
    return points
