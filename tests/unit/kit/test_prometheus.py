"""What Prometheus reads is its own format, whatever names are in it."""

from refdesk.kit.prometheus import Family, exposition


def test_names_of_any_kind_are_escaped_and_numbers_are_plain():
    family = Family("calls_total", "counter", 'Calls by "model".\nAll of them.')
    family.add(3, model='a "b" \\ c\n模型')
    family.add(0.25)
    assert exposition([family]).splitlines() == [
        '# HELP calls_total Calls by "model".\\nAll of them.',
        "# TYPE calls_total counter",
        'calls_total{model="a \\"b\\" \\\\ c\\n模型"} 3',
        "calls_total 0.25",
    ]


def test_a_histogram_counts_all_below_each_bound():
    family = Family("seconds", "histogram", "Time.")
    family.add_histogram((0.1, 1.0), [2, 0, 1], 7.5, {"model": "m"})
    assert exposition([family]).splitlines()[2:] == [
        'seconds_bucket{model="m",le="0.1"} 2',
        'seconds_bucket{model="m",le="1"} 2',
        'seconds_bucket{model="m",le="+Inf"} 3',
        'seconds_sum{model="m"} 7.5',
        'seconds_count{model="m"} 3',
    ]
