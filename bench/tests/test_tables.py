# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Measured figures stand in tables that are written from the data, and nowhere else in README.md and the documents."""

from __future__ import annotations

import json

import pytest

from bench.report import page, tables

POINTS = {"points": [
    {"key": {"handshake": "tls13-rsa2048", "jobs": 0},
     "metrics": {"CPU": {"median": {"stock": 1150.4, "octuple": 532.2}, "ratio": {"octuple": 2.094},
                         "quartiles": {"octuple": [2.03, 2.19]}}}},
    {"key": {"handshake": "tls13-p384", "jobs": 0},
     "metrics": {"CPU": {"median": {"stock": 5994.0, "octuple": 25.04}, "ratio": {"octuple": 16.91, "256": 1.04},
                         "quartiles": {"octuple": [15.98, 19.67]}}}}]}
COUNTS = {"tcp": {"done": 100000, "renewed": [{"lost": 13}, {"lost": 10}]}}
PLACE = "# Title\n\nBefore.\n\n<!-- table: one -->\nold\n<!-- end -->\n\nAfter.\n"
SPEC = {"head": ["what", "stock", "ratio", "why"], "file": "m/h.json",
        "figures": ["{} / 0 | CPU | stock", "{} / 0 | CPU | ratio"],
        "rows": [["RSA", "tls13-rsa2048", "as it is"], ["P-384", "tls13-p384", ""]]}


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    (folder / "results/m").mkdir(parents=True)
    (folder / "results/m/h.json").write_text(json.dumps(POINTS))
    (folder / "results/m/c.json").write_text(json.dumps(COUNTS))
    (folder / "results/published.json").write_text(json.dumps({"found": [], "not_found": []}))
    return folder


def planned(docs, spec=None, text=PLACE, name="README.md"):
    """README.md with a place for a table, and its description."""
    (docs / "results/tables.json").write_text(json.dumps({"one": spec or SPEC}))
    (docs.parent / name).parent.mkdir(exist_ok=True)
    (docs.parent / name).write_text(text)
    return docs.parent / name


def findings(docs, **spec):
    planned(docs, SPEC | spec)
    return tables.written(docs)[1]


def figure(docs, place):
    planned(docs, SPEC | {"figures": [place], "head": ["what", "figure"], "rows": [["a", "tls13-rsa2048"]]})
    texts, found = tables.written(docs)
    assert not found, found
    return texts[docs.parent / "README.md"].split("| a | ")[1].split(" |")[0]


def test_the_documents_have_the_tables_that_the_data_give():
    texts, found = tables.written(page.DOCS)
    assert found == [] and tables.measured(page.DOCS) == []
    for path, text in texts.items():
        assert path.read_text() == text, "bench/results writes the tables anew"


def test_readme_has_a_table():
    assert "<!-- table: handshakes -->" in (page.DOCS.parent / "README.md").read_text()


def test_a_table(docs):
    readme = planned(docs)
    texts, found = tables.written(docs)
    assert found == [] and texts[readme] == PLACE.replace("old\n", (
        "\n| what | stock | ratio | why |\n|---|---|---|---|\n| RSA | 1,150 | 2.09 | as it is |\n"
        "| P-384 | 5,994 | 16.91 |  |\n\nFrom [m/h.json](docs/results/m/h.json).\n\n"))
    inner = planned(docs, name="docs/a.md")
    readme.unlink()
    assert "From [m/h.json](results/m/h.json)." in tables.written(docs)[0][inner]
    inner.unlink()
    inmost = planned(docs, name="docs/internals/a.md")
    assert "From [m/h.json](../results/m/h.json)." in tables.written(docs)[0][inmost]


@pytest.mark.parametrize("place,text", [
    ("{} / 0 | CPU | stock", "1,150"), ("{} / 0 | CPU | octuple", "532"), ("tls13-p384 / 0 | CPU | octuple", "25"),
    ("{} / 0 | CPU | ratio", "2.09"), ("tls13-p384 / 0 | CPU | ratio 256", "1.04"),
    ("{} / 0 | CPU | quartiles", "2.03 to 2.19"), ("* / 0 | * | ratio", "2.09 to 16.91")])
def test_figures_of_points(docs, place, text):
    assert figure(docs, place) == text


@pytest.mark.parametrize("path,text", [("tcp/done", "100,000"), ("tcp/renewed/*/lost", "23")])
def test_figures_by_path(docs, path, text):
    planned(docs, {"head": ["what", "count"], "rows": [{"row": ["a", ""], "file": "m/c.json", "figures": [path]}]})
    texts, found = tables.written(docs)
    assert found == [] and f"| a | {text} |\n" in texts[docs.parent / "README.md"]


@pytest.mark.parametrize("place,said", [
    ("tls13-p521 / 0 | CPU | ratio", "nothing stands at"), ("tls13-rsa2048 | CPU | ratio", "nothing stands at"),
    ("{} / 0 | GPU | ratio", "nothing stands at"), ("{} / 0 | CPU | ratio 512", "'ratio 512' is nothing of a metric"),
    ("{} / 0 | CPU | mean", "'mean' is nothing of"), ("{} | CPU", "is not KEY | METRIC | FIELD"),
    ("tcp/done", "nothing stands at"), ("points", "no number stands at"), ("points/*", "no number stands at")])
def test_planted_places(docs, place, said):
    (finding,) = findings(docs, figures=[place], head=["what", "figure"], rows=[["a", "tls13-rsa2048"]])
    assert finding.startswith("README.md: table one: ") and said in finding


def test_planted_descriptions(docs):
    assert findings(docs, file="m/x.json") == ["README.md: table one: docs/results has no m/x.json"]
    assert findings(docs, head=["what", "ratio"]) == [
        "README.md: table one: the row of 'RSA' has 4 cells, and the head 2"]
    planned(docs, text=PLACE.replace("table: one", "table: two"))
    assert tables.written(docs)[1] == ["README.md: table two: tables.json has no such table",
                                       "tables.json: no document has the table one"]
    planned(docs, text=PLACE.replace("<!-- end -->", ""))
    assert "README.md: a table begins and has no end" in tables.written(docs)[1]


def test_other_files_as_points():
    """Those of bench/run servers, bench/keys and tests/servers/run tokio."""
    side = {"p99_us": 1000.0, "plain_p99_us": 500.0, "worker_cpu_percent": 20.0}
    keys = {"results": [{"server": "nginx", "device": "card", "latency_ms": 5, "threads": 1, "stock": 100.0,
                         "octuple": 250.0, "ratio": 2.5, "details": {"stock": side, "octuple": side}}]}
    assert tables.cell(keys, "nginx / card / 5 / * | handshakes | ratio") == "2.50"
    assert tables.cell(keys, "nginx / card / 5 / 1 | plain p99 | stock") == "0.5"
    one = {"stock": {"cpu_us": 400.4}, "octuple": {"cpu_us": 200.2}, "cpu_ratio": 2.0,
           "cpu_ratio_quartiles": [1.9, 2.1]}
    servers = {"servers": [{"server": "a", "saturated": one, "alone": one}]}
    assert tables.cell(servers, "a / alone | CPU of a handshake | quartiles") == "1.90 to 2.10"
    tokio = [{"server": "tokio", "threads": 2, "handshakes": 200001, "failed": 0, "in_lanes": 5, "operations": 10,
              "cpu_us": [[400.0, 300.0], [440.0, 220.0]]}]
    assert tables.cell(tokio, "tokio / 2 | CPU of a handshake | ratio") == "1.67"
    assert tables.cell(tokio, "tokio / 2 | in lanes, % | octuple") == "50"


@pytest.mark.parametrize("text", ["2.22x", "1.6 times", "0.81 to 1.38 times", "0.8 us", "372 ns", "500 MB/s",
                                  "ratio 0.97", "a ratio of 0.97", "12.5 ms", "4.7 %", "| 300 us |"])
@pytest.mark.parametrize("name", ["README.md", "docs/other.md", "docs/internals/other.md"])
def test_what_looks_measured(docs, name, text):
    (docs.parent / name).parent.mkdir(exist_ok=True)
    (docs.parent / name).write_text(f"# Title\n\nText.\nIt took {text} there.\n")
    (finding,) = tables.measured(docs)
    assert finding.startswith(f"{name}:4: ") and "looks measured" in finding


@pytest.mark.parametrize("text", [
    "TLS 1.3 and OpenSSL 3.0.22", "127.0.0.1", "eight lanes of 64 bits", "RFC 9001, 5.4", "`2.22x`", "12 ms", "4 %",
    "```\n2.22x\n```", "Before:\n\n    12 us\n", "<!-- 2.22x -->", "[Text](http://a/2.22x)", "1536 bits", "512 KB",
    "Made by `a program`.\n\n2.22x", "<!-- table: one -->\n| 2.22x |\n<!-- end -->"])
def test_what_does_not(docs, text):
    (docs.parent / "README.md").write_text(f"# Title\n\n{text}\n")
    assert tables.measured(docs) == []


def test_the_command(docs, capsys):
    readme = planned(docs)
    assert page.main(["--docs", str(docs)]) == 0 and "| RSA | 1,150 |" in readme.read_text()
    assert page.main(["--docs", str(docs), "--check"]) == 0
    good = readme.read_text()
    readme.write_text(good.replace("1,150", "1,151"))
    assert page.main(["--docs", str(docs), "--check"]) == 1 and "1,151" in readme.read_text()
    assert page.main(["--docs", str(docs)]) == 0 and readme.read_text() == good
    capsys.readouterr()
    readme.write_text(good + "\nIt was 2.22x as fast.\n")
    assert page.main(["--docs", str(docs), "--check"]) == 1
    assert "'2.22x' looks measured" in capsys.readouterr().err
