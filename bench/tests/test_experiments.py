# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""bench/experiment: that a stopped run goes on, and what is reported. No time is asserted."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.experiments import ALL, __main__ as command, alone, frame
from bench.experiments.operations import openssl_speed, page_pairs
from bench.report import about, html, pictures, summary
from lab import machine, schemas
from lab.programs import Build

# runs that are stopped and go on

class Counting(frame.Experiment):
    """Measures by counting; is interrupted, or finds something missing, where it is told to."""

    name, title, about = "counting", "Counting <things>", "About `words` & more."
    full = quick = frame.Size(3, 1)
    pivots = ("column",)

    def __init__(self):
        self.measured: list[int] = []
        self.stop_at = self.missing_at = None
        self.failed = 0

    def points(self, size, quick):
        return [frame.Point({"row": "a", "column": column}, 1) for column in range(4)]

    @contextmanager
    def opened(self, lab):
        yield self.one

    def one(self, point):
        column = point.key["column"]
        if column == self.stop_at:
            raise KeyboardInterrupt
        if column == self.missing_at:
            raise frame.Unavailable("no such thing")
        if self.missing_at == "all":
            raise frame.Unavailable("nothing of it")
        self.measured.append(column)
        values = frame.in_turns(("stock", "octuple"), 3, {"time": ("us", "less")},
                                lambda side, number: {"time": 10 + number if side == "stock" else 5 + number})
        return {"metrics": values, "notes": {"failed": self.failed}}

    def pictures(self, records):
        return {}


@pytest.fixture
def counting(monkeypatch, fake_build, tmp_path):
    """The experiment, and what runs the command with it in a folder."""
    experiment = Counting()
    monkeypatch.setattr(command, "ALL", {"counting": experiment} | ALL)
    monkeypatch.setattr(about, "busy_percent", lambda: 0.0)

    def run(*options: str) -> int:
        return command.main(["counting", "--build-dir", str(fake_build.folder),
                             "--folder", str(tmp_path / "runs"), *options])

    experiment.run, experiment.folder = run, tmp_path / "runs/counting"
    return experiment


def test_a_stopped_run_goes_on(counting, capsys):
    counting.stop_at = 2
    assert counting.run() == 130
    assert "goes on from here" in capsys.readouterr().err
    assert "2 points are still to be measured" in (counting.folder / "report.html").read_text()
    counting.stop_at = None
    assert counting.run("--resume") == 0
    assert counting.measured == [0, 1, 2, 3], "none was measured twice"
    lines = (counting.folder / "points.jsonl").read_text().splitlines()
    assert [json.loads(line)["key"]["column"] for line in lines] == [0, 1, 2, 3]
    assert len(json.loads((counting.folder / "machine.json").read_text())["sessions"]) == 2
    assert "still to be measured" not in (counting.folder / "report.html").read_text()
    assert "<code>words</code>" in (counting.folder / "report.html").read_text()
    assert counting.run() == 0 and counting.measured == [0, 1, 2, 3], "what is complete is only reported"
    assert len(json.loads((counting.folder / "machine.json").read_text())["sessions"]) == 2
    assert counting.run("--again") == 0 and counting.measured == [0, 1, 2, 3] * 2


def test_a_line_that_was_cut_is_measured_again(counting):
    assert counting.run() == 0
    data = counting.folder / "points.jsonl"
    data.write_text(data.read_text()[:-20])
    assert counting.run() == 0
    assert counting.measured == [0, 1, 2, 3, 3]
    assert len(frame.read_records(data)) == 4


def test_another_machine_or_size_is_not_mixed_in(counting, capsys):
    assert counting.run() == 0
    assert counting.run("--rounds", "9") == 2
    assert "differs in size" in capsys.readouterr().err
    known = counting.folder / "machine.json"
    known.write_text(known.read_text().replace('"width": 512', '"width": 256'))
    assert counting.run() == 2
    assert "width (was 256, is 512)" in capsys.readouterr().err
    assert counting.measured == [0, 1, 2, 3]
    assert counting.run("--again") == 0


@pytest.mark.parametrize("given, options", (("", ("--table", "c")), ("c", ())))
def test_a_table_reaches_all_that_is_started(counting, monkeypatch, given, options):
    monkeypatch.setenv("OCTUPLE_TABLE", given)
    seen = []
    monkeypatch.setattr(counting, "one", lambda point: seen.append(frame.surroundings(None)["env"]) or {"metrics": {}})
    assert counting.run(*options) == 0
    assert {env["OCTUPLE_TABLE"] for env in seen} == {"c"}
    about = json.loads((counting.folder.parent / "counting-c/machine.json").read_text())
    assert about["command"] == "bench/experiment counting --table c"


def test_what_the_portable_table_has_not_is_left_out(monkeypatch):
    monkeypatch.setenv("OCTUPLE_TABLE", "c")
    with pytest.raises(frame.Unavailable, match="the table c"):
        page_pairs.PagePairs.measure(None, {"bytes": 1440, "distance": 64})


def test_failed_handshakes_are_a_failure(counting, capsys):
    counting.failed = 2
    assert counting.run() == 1
    assert "a, 0: 2 handshakes failed." in capsys.readouterr().out


def test_notes():
    assert html.of_notes({"jobs": 8}, {"in_lanes_percent": None}) == ["nothing ran in lanes."]
    assert html.of_notes({"jobs": 8}, {"in_lanes_percent": 99.0, "failed": 0, "overdue": {"stock": 0}}) == []
    assert html.of_notes({}, {"failed": 2, "handshakes": {"stock": 90, "octuple": 80},
                              "failures": {"stock": {"in the handshake: timed out": 2}, "octuple": {}}}) == [
        "2 handshakes failed.", "of 90 handshakes with stock 2 failed in the handshake: timed out."]
    assert html.of_notes({"jobs": 1}, {"overdue": {"stock": 3}, "said": ["a", "a"]})[1:] == ["a"]


def test_a_part_first(counting):
    assert counting.run("--only", "column 2") == 0 and counting.measured == [2]
    assert "3 points are still to be measured" in (counting.folder / "report.html").read_text()
    assert counting.run() == 0 and counting.measured == [2, 0, 1, 3]


def test_resume_and_report_want_a_run(counting, capsys):
    assert counting.run("--resume") == 2 and "no run to go on with" in capsys.readouterr().err
    assert counting.run("--report") == 2 and "holds no run" in capsys.readouterr().err


def test_what_cannot_be_measured_here_is_left_out(counting, capsys):
    counting.missing_at = 1
    assert counting.run() == 0
    assert "no such thing" in capsys.readouterr().out
    assert counting.measured == [0, 2, 3], "the others are measured all the same"
    assert "Could not be measured here: row a, column 1: no such thing" in (counting.folder / "report.html").read_text()


def test_where_nothing_can_be_measured_the_status_says_so(counting, capsys):
    counting.missing_at = "all"
    assert counting.run() == 3
    assert "nothing of it" in capsys.readouterr().out


def test_results_have_one_form(counting, tmp_path, capsys):
    path = tmp_path / "out.json"
    counting.missing_at = 1
    assert counting.run("--json", str(path)) == 0
    document = json.loads(path.read_text())
    assert document == json.loads((counting.folder / "results.json").read_text())
    schemas.check("experiment", document)
    assert document["experiment"] == "counting" and document["machine"]["octuple"] == "9.9"
    assert document["results"][0] == {"name": "a, 0: time", "stock": 11, "octuple": 6, "ratio": 1.833,
                                      "spread": [1.774, 1.917], "unit": "us", "better": "less"}
    assert [row["name"] for row in document["results"]] == ["a, 0: time", "a, 2: time", "a, 3: time"]
    assert document["not_measured"] == ["row a, column 1: no such thing"]
    with pytest.raises(SystemExit):
        command.main(["all", "--json", str(path)])
    assert "--json is for one experiment" in capsys.readouterr().err


def test_results_of_several_sides():
    record = {"key": {"load": "a"}, "metrics": {"CPU": frame.metric("us", "less", {"stock": [4], "512": [2],
                                                                                   "octuple": []})}}
    row, = summary.results([record])
    assert (row["name"], row["stock"], row["octuple"], row["ratio"]) == ("a: CPU, 512", 4, 2, 2)


def test_a_main_metric_goes_by_its_point_alone():
    sides = {"stock": [4], "octuple": [2]}
    record = {"key": {"server": "nginx", "connections": 64},
              "metrics": {"CPU": frame.metric("us", "less", sides), "p50": frame.metric("us", "less", sides)}}
    assert [row["name"] for row in summary.results([record], "CPU")] == ["nginx 64", "nginx 64 p50"]
    assert [row["name"] for row in summary.results([record])] == ["nginx, 64: CPU", "nginx, 64: p50"]


def test_all_within_a_budget(counting, monkeypatch, capsys):
    monkeypatch.setattr(command, "ALL", {"counting": counting, "records": ALL["records"]})
    options = ["all", "--build-dir", "x", "--folder", str(counting.folder.parent), "--budget", "0.1"]
    monkeypatch.setattr(Build, "missing", lambda self: [])
    described = {"experiment": "counting", "size": {"rounds": 3, "seconds": 1},
                 "identity": {}, "title": "x", "about": "", "command": "",
                 "machine": {}, "sessions": [{"began": "x", "busy_percent": 0}]}
    monkeypatch.setattr(about, "describe", lambda *_: described)
    assert command.main(options) == 0
    assert counting.measured == [0, 1, 2, 3] and "records: left out" in capsys.readouterr().out


@pytest.mark.parametrize("name", ALL)
def test_quick_ones_are_quick(name):
    experiment = ALL[name]
    quick, full = (sum(point.seconds for point in experiment.points(size, some))
                   for size, some in ((experiment.quick, True), (experiment.full, False)))
    assert quick < experiment.within[0] and quick < full < experiment.within[1]


# the whole of it, with the real openssl

def test_openssl_speed_from_end_to_end(fake_build, monkeypatch, tmp_path):
    monkeypatch.setattr(openssl_speed, "ASYMMETRIC", {"ecdhx25519": ("derive",)})
    monkeypatch.setattr(openssl_speed, "AEADS", ())
    monkeypatch.setattr(openssl_speed, "QUICK_JOBS", (8,))
    monkeypatch.setattr(openssl_speed, "process_counts", lambda: [1])
    assert command.main(["openssl-speed", "--quick", "--build-dir",
                         str(fake_build.folder), "--folder", str(tmp_path)]) == 0
    run = frame.Run.read(tmp_path / "openssl-speed-quick")
    assert [record["key"] for record in run.records] == [{"algorithm": "ecdhx25519", "processes": 1, "jobs": 8}]
    assert all(values[0] > 100 for values in run.records[0]["metrics"]["derive"]["sides"].values())
    assert run.about["machine"]["octuple"] == "9.9" and run.about["command"] == "bench/experiment openssl-speed --quick"
    assert (run.folder / "report.html").exists()


def test_without_a_build(tmp_path, capsys):
    assert command.main(["handshakes", "--build-dir", str(tmp_path)]) == 2 and "not built" in capsys.readouterr().err


# tables and reports

def test_ratios_are_medians_of_pairs():
    found = summary.of_metric(frame.metric("us", "less", {"stock": [10, 20, 30], "octuple": [5, 5, 30]}))
    assert found["median"] == {"stock": 20, "octuple": 5} and found["ratio"] == {"octuple": 2}
    assert found["quartiles"] == {"octuple": [1.5, 3]}
    assert summary.of_metric(frame.metric("1/s", "more", {"stock": [10], "octuple": [5]}))["ratio"] == {"octuple": 0.5}
    alone_ = summary.of_metric(frame.metric("us", "less", {"stock": [], "octuple": [5]}))
    assert alone_["ratio"] == {} and summary.ratio_text(alone_, "octuple") == "-"


def test_sides_take_turns():
    seen = []
    frame.in_turns(("a", "b"), 3, {"x": ("us", "less")}, lambda side, number: seen.append((side, number)) or {"x": 1})
    assert seen == [("a", 0), ("b", 0), ("b", 1), ("a", 1), ("a", 2), ("b", 2)]


def test_quietness():
    assert about.busy_ticks("cpu  10 0 5 100 20 1 2 3 0 0\ncpu0 1\n") == (21, 141)
    assert 0 <= about.busy_percent(0.05) <= 100


def fake_record(point: frame.Point) -> dict:
    """A point of any experiment, as it may come out."""
    sides = {"stock": [400.0, 410.0], "octuple": [200.0, 190.0]}
    if "ChaCha20, %" in point.key:
        sides = {"stock": [400.0], "512": [380.0], "256": [401.0], "128": [420.0]}
    found = {"key": point.key, "metrics": {"CPU of a handshake": frame.metric("us", "less", sides)},
             "notes": {"failed": 1, "waited_percent": {"stock": 40, "octuple": 1}}}
    if point.key.get("of") == "steps":
        found["metrics"]["octuple:flush p256-sign"] = frame.metric("us", "less", {"stock": [], "octuple": [1.0]})
    return found | {"histograms": {"SSL_do_handshake": {"stock": [[0, 1, 2], [4, 8, 3]], "octuple": []}}}


# Those with pictures of their own, and of the others one with two sides and one with four.
DRAWN = [name for name, experiment in ALL.items() if "pictures" in vars(type(experiment))
         or name in ("handshakes", "mixed")]


@pytest.mark.parametrize("name", DRAWN)
def test_reports_stand_alone(name, tmp_path):
    experiment = ALL[name]
    size, run = experiment.quick, frame.Run(tmp_path, {
        "experiment": name, "title": "<title>", "about": experiment.about,
        "command": "x", "size": {"rounds": 2, "seconds": 1},
        "machine": {"cpu": "Some CPU", "avx512": ["avx512f", "avx512ifma"]},
        "sessions": [{"began": "now", "busy_percent": 70.0}]})
    points = experiment.points(size, True)
    run.records += [fake_record(point) for point in points[::max(1, len(points) // 2)] + points[-1:]]
    text = html.write(experiment, run, ["<missing>"], 1).read_text()
    for part in ("&lt;title&gt;", "&lt;missing&gt;", "avx512f, avx512ifma", "others used 70.0 %"):
        assert part in text
    assert "1 handshakes failed" in text and "up to 40 % of the time" in text
    begins = [text.index(part) for part in ("<h1>", '<p class="lead">', "<figure", '<ul class="warn">', "<table>")]
    assert begins == sorted(begins)
    assert "src=" not in text and "href=" not in text and "url(" not in text
    shown = {value for point in run.records for value in point["key"].values()}
    assert all(f">{value}<" in text for value in shown)
    if name == "latency":
        assert all(f"<figcaption>{record['key']['handshake']}</figcaption>" in text for record in run.records)


def test_numbers_beside_an_axis_have_room():
    """A digit takes six units of the picture at its size of letters."""
    said = "".join(pictures.Panel(0, 1_250_000, False, ["1"]).frame("load"))
    numbers = re.findall(r'text-anchor="end">([\d,]+)<', said)
    assert "1,000,000" in numbers and max(map(len, numbers)) * 6 <= pictures.LEFT - 4


@pytest.mark.parametrize("low, high", ((397.404502, 404.1), (118, 407), (1, 1.01), (1, 9.9), (0.9, 1100), (3e-3, 2e5)))
def test_axes_have_round_numbers(low, high):
    """However narrow a logarithmic one is: an end of it is no round number."""
    found = pictures.ticks(low, high, True)
    assert 3 <= len(found) <= 6 and all(low <= value <= high and len(f"{value:.10g}") <= 6 for value in found), found


def test_parts_of_an_experiment_exist(monkeypatch):
    """What a point of `alone` is measured by is looked up by its name."""
    assert all(hasattr(alone.Alone, point.key["of"]) for point in ALL["alone"].points(frame.Size(1, 1), True))
    assert machine.place() is not None and Path(command.__file__).exists()
