# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""docs/results.md is what the data in docs/results give, and these are what a run's raw data give."""

from __future__ import annotations

import json
import re

import pytest

from bench.experiments import ALL, frame
from bench.report import devices_page, more, page

PUBLISHED = {"found": [{"question": "how | fast", "figure": "9 times", "on": "a card", "source": "somebody",
                        "address": "https://example.org/a",
                        "ours": [{"label": "here", "experiment": "handshakes",
                                  "key": {"handshake": "tls13-rsa2048"}, "metric": "CPU"}]},
                       {"question": "else", "figure": "1", "on": "b",
                        "source": "c", "address": "https://example.org/b"}],
             "not_found": ["a paper"]}


@pytest.fixture
def docs(tmp_path):
    (tmp_path / "docs/results").mkdir(parents=True)
    (tmp_path / "docs/results/published.json").write_text(json.dumps(PUBLISHED))
    return tmp_path / "docs"


@pytest.fixture
def run_folder(tmp_path):
    """A run of two rounds."""
    folder = tmp_path / "handshakes"
    about = {"experiment": "handshakes", "title": "Handshakes", "about": "All of them.",
             "command": "bench/experiment handshakes --quick",
             "size": {"rounds": 2, "seconds": 1.0}, "identity": {},
             "sessions": [{"began": "2026-11-22T03:00:00+00:00", "busy_percent": 7.5}],
             "machine": {"cpu": "Some CPU", "cpus": 2, "system": "Debian",
                         "kernel": "6.1", "openssl": "OpenSSL 3.0.22 25 Aug (Library)",
                         "nginx": "nginx/1", "compiler": "gcc 12", "octuple": "0.1.0", "width": 512}}
    run = frame.Run.begin(folder, about, [])
    run.append({"key": {"handshake": "tls13-rsa2048"}, "notes": {"failed": 2},
                "metrics": {"CPU": frame.metric("us", "less", {"stock": [400.0, 420.0], "octuple": [200.0, 140.0]})}})
    return folder


def test_the_page_is_what_the_data_give():
    assert page.main(["--check"]) == 0, "docs/results.md is made by bench/results, and not edited"


def other_server(name: str) -> dict:
    one = {"stock": {"cpu_us": 400.4}, "octuple": {"cpu_us": 200.2}, "cpu_ratio": 2.0,
           "cpu_ratio_quartiles": [1.9, 2.1]}
    return {"server": name, "rounds": 7, "seconds": 1.5, "saturated": one, "in_lanes_percent": 99.7,
            "alone": one | {"cpu_ratio": 1.1}}


def shown(docs, capsys, *names: str) -> str:
    capsys.readouterr()
    assert page.main(["--docs", str(docs), "--show", *names]) == 0
    return capsys.readouterr().out


def test_tables_of_more_servers(docs, capsys):
    """From their own files; of tokio's only if there is one. The page links to them."""
    document = {"servers": [other_server("b"), other_server("a")], "handshake": "TLS", "cpu": "Some CPU"}
    assert more.render(docs) is None
    (docs / "results/more-servers.json").write_text(json.dumps(document))
    assert page.main(["--docs", str(docs)]) == 0
    text = shown(docs, capsys, "more-servers")
    assert "| a | 2.00 | 1.10 | 400, 200 | 1.90 to 2.10 |" in text and text.index("| a |") < text.index("| b |")
    assert "| - | 100 % |" in text and "tokio" not in text and "forky" not in text
    (docs / "results/more-servers-forky.json").write_text(json.dumps(document))
    (docs / "results/tokio.json").write_text(json.dumps([
        {"server": "tokio", "threads": 2, "handshakes": 200001, "failed": 0, "in_lanes": 5, "operations": 10,
         "cpu_us": [[400.0, 300.0], [420.0, 300.0]]}]))
    assert page.main(["--docs", str(docs), "--check"]) == 1
    assert page.main(["--docs", str(docs)]) == 0
    assert "[tokio and pingora](results/tokio.json)" in (docs / "results.md").read_text()
    text = shown(docs, capsys, "more-servers")
    assert "| a, forky | 2.00 |" in text and "| tokio | 2 | 200,001 | 0 | 50 % | 410, 300 | 1.37 |" in text


def in_device(server: str, device: str, milliseconds: float, threads: int) -> dict:
    side = {"handshakes_per_s": 180.0, "p50_us": 300400, "p99_us": 400400, "plain_p99_us": 12600,
            "worker_cpu_percent": 10.2, "all_cpu_us_per_handshake": 600.3}
    ours = side | {"handshakes_per_s": 2500.0 * threads, "plain_p99_us": 1234}
    return {"server": server, "device": device, "latency_ms": milliseconds, "threads": threads, "connections": 64,
            "stock": 180.0, "octuple": ours["handshakes_per_s"], "ratio": ours["handshakes_per_s"] / 180,
            "details": {"stock": side, "octuple": ours}}


def test_tables_of_keys_in_devices(docs, capsys):
    """A table for each server and device, and a chart with a line for each number of threads."""
    document = {"handshake": "TLS", "cpu": "Some CPU", "rounds": 3, "seconds": 2.0, "results": [
        in_device("nginx", "token", ms, threads) for ms in (0.3, 5) for threads in (1, 16)]
        + [in_device("haproxy", "pausing", 0, 1)]}
    assert devices_page.render(docs) is None and devices_page.chart(docs) is None
    (docs / "results/keys.json").write_text(json.dumps(document))
    assert page.main(["--docs", str(docs)]) == 0
    text, chart = shown(docs, capsys, "keys"), (docs / "results/keys.svg").read_text()
    assert "| 0.3 | 16 | 180, 40,000 | 222.2 | 300.4, 300.4 | 400.4, 400.4 | 12.6, 1.2 | 10 %, 10 % | 600, 60" in text
    assert "## haproxy, a provider that pauses" in text and "| 0 | - | 180, 2,500 |" in text
    assert chart.count("<polyline") == 3 and ">16 threads</text>" in chart and ">1 thread</text>" in chart
    (docs / "results/keys.svg").write_text(chart.replace("16 threads", "17 threads"))
    assert page.main(["--docs", str(docs), "--check"]) == 1


def test_data_of_the_tree_are_whole():
    for experiments in page.load_data(page.DOCS).values():
        for name, document in experiments.items():
            assert document["experiment"] == name and document["points"]
            assert document["command"].startswith(f"bench/experiment {name}")
            folder = page.DOCS / "results" / page.slug(document["machine_name"])
            assert page.as_text(document) == (folder / f"{name}.json").read_text()


def test_published_figures_have_sources_and_exist_in_experiments():
    published = json.loads((page.DOCS / "results/published.json").read_text())
    assert published["found"] and published["not_found"]
    for entry in published["found"]:
        assert entry["figure"] and entry["source"] and re.match(r"https://\S+$", entry["address"])
        for one in entry.get("ours", []):
            experiment = ALL[one["experiment"]]
            assert one["key"] in [point.key for point in experiment.points(experiment.full, False)]


def test_a_run_becomes_data_and_page(docs, run_folder, capsys):
    assert page.main(["--docs", str(docs), "--machine", "A Test Machine!", str(run_folder)]) == 0
    path = docs / "results/a-test-machine/handshakes.json"
    point, = json.loads(path.read_text())["points"]
    assert point["metrics"]["CPU"]["median"] == {"stock": 410, "octuple": 170}
    assert point["metrics"]["CPU"]["ratio"] == {"octuple": 2.5}
    assert point["metrics"]["CPU"]["quartiles"] == {"octuple": [2.25, 2.75]}
    text = (docs / "results.md").read_text()
    assert ("| Handshakes: CPU | [A Test Machine!](results/a-test-machine/handshakes.json) | 2.50 "
            "| 2.50 (tls13-rsa2048) | 2.50 (tls13-rsa2048) | 1 | 0 |") in text
    assert "Some CPU, 2 CPUs, Debian, Linux 6.1, OpenSSL 3.0.22 25 Aug, nginx/1, gcc 12" in text
    assert ("- Read with care: Handshakes: CPU, A Test Machine!. Not finished: 4 points are still to be measured. "
            "The machine was not quiet: others used 7.5 % of its CPUs") in text
    assert ("| how \\| fast | 9 times | a card | [somebody](https://example.org/a) "
            "| here 2.50 |") in text
    assert "| else | 1 | b | [c](https://example.org/b) | not measured |" in text
    assert "- a paper" in text


def test_tables_of_a_run(docs, run_folder, capsys):
    page.main(["--docs", str(docs), "--machine", "A Test Machine!", str(run_folder)])
    text = shown(docs, capsys, "a-test-machine/handshakes")
    assert text.startswith("## Handshakes, A Test Machine!\n")
    assert "| tls13-rsa2048 | CPU | us | 410 | 170 | 2.50 (2.25 to 2.75) |" in text
    assert "`bench/experiment handshakes --quick`, 2 rounds of each point, begun 2026-11-22" in text
    assert "- tls13-rsa2048: 2 handshakes failed." in text
    for name in ("a-test-machine/tables", "b/handshakes", "keys", "../handshakes"):
        assert page.main(["--docs", str(docs), "--show", name]) == 2


def test_every_table_is_one(docs, run_folder):
    page.main(["--docs", str(docs), "--machine", "m", str(run_folder)])
    widths = [line.count("|") - line.count("\\|") for line in (docs / "results.md").read_text().splitlines()
              if line.startswith("|")]
    assert widths == [8, 8, 8, 3, 3, 3, 6, 6, 6, 6]


def test_a_difference_is_seen(docs, run_folder, capsys):
    arguments = ["--docs", str(docs), "--machine", "m", str(run_folder)]
    assert page.main(arguments) == 0 and page.main([*arguments, "--check"]) == 0
    data = docs / "results/m/handshakes.json"
    data.write_text(data.read_text().replace('"octuple": 2.5}', '"octuple": 2.6}'))
    assert page.main([*arguments, "--check"]) == 1
    assert "handshakes.json is not what its source gives" in capsys.readouterr().err
    assert page.main(["--docs", str(docs), "--check"]) == 1
    assert "results.md is not what its source gives" in capsys.readouterr().err


def test_what_is_no_run_is_told(docs, tmp_path, capsys):
    assert page.main(["--docs", str(docs), "--machine", "m", str(tmp_path)]) == 2
    assert "holds no run" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        page.main([str(tmp_path)])


def test_a_machine_has_one_run_of_each_experiment(docs, run_folder, capsys):
    assert page.main(["--docs", str(docs), "--machine", "m", str(run_folder), str(run_folder)]) == 2
    assert "two of these runs" in capsys.readouterr().err and not (docs / "results/m").exists()


def test_what_all_machines_have_is_said_once(docs, run_folder):
    page.main(["--docs", str(docs), "--machine", "one", str(run_folder)])
    assert "| one | Some CPU, 2 CPUs, Debian, Linux 6.1, " in (docs / "results.md").read_text()
    about = json.loads((run_folder / "machine.json").read_text())
    about["machine"] |= {"cpu": "Another CPU", "width": 256}
    (run_folder / "machine.json").write_text(json.dumps(about))
    page.main(["--docs", str(docs), "--machine", "two", str(run_folder)])
    text = (docs / "results.md").read_text()
    assert "All have 2 CPUs, Debian, Linux 6.1, OpenSSL 3.0.22 25 Aug, nginx/1, gcc 12.\n\n| machine |" in text
    assert "| two | Another CPU, Octuple 0.1.0, vectors of 256 bits |" in text
