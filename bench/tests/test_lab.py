# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: SERIAL
"""The reading and reckoning, on inputs whose answers are known."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bench.measure import arguments, demo, versus as measure
from bench.report import demo_page, html
from lab import ROOT, counters, load, machine, process, schemas
from lab.servers import nginx

INCLUDE = ROOT / "include/octuple"


# counters

def counters_bytes(operations: list[list[int]], magic: int = counters.MAGIC, count: int | None = None) -> bytes:
    data = struct.pack("=6Q16s", magic, 42, len(operations) if count is None else count, 1, 0, 0, b"test")
    for operation in operations:
        data += struct.pack("=17Q", *operation)
    return data.ljust(counters.SIZE, b"\0")


def test_counters_are_laid_out_as_the_header_says(tmp_path):
    """The compiler's own word on the struct, as far as the bench reads it."""
    source = tmp_path / "layout.c"
    source.write_text('#include <octuple/counters.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n'
                      '    static struct oct_counters_file c = {\n'
                      '        .sum = {.magic = OCT_COUNTERS_MAGIC, .pid = 7, .op_count = OCT_OP_COUNT}};\n'
                      '    c.sum.op[1] = (struct oct_op_counters){\n'
                      '        .submitted = 1, .done = 2, .failed = 3, .fallback = 4, .cancelled = 5,\n'
                      '        .recomputed = 6, .flushes = {11, 12, 13, 14, 15, 16, 17, 18}, .lane_nanoseconds = 7};\n'
                      '    return fwrite(&c, offsetof(struct oct_counters_file, keys), 1, stdout) != 1;\n}\n')
    subprocess.run(["gcc", f"-I{INCLUDE.parent}", source, "-o", tmp_path / "layout"], check=True)
    data = subprocess.run([tmp_path / "layout"], capture_output=True, check=True).stdout
    assert len(data) == counters.SIZE
    parsed = counters.parse(data)
    assert list(parsed) == list(counters.NAMES)
    assert parsed["rsa3072-private"] == counters.Operation(1, 2, 3, 4, 5, 6, list(range(11, 19)), 7)
    assert parsed["rsa2048-private"] == counters.Operation()


def test_counter_names_are_those_of_the_header():
    names = re.findall(r"OCT_OP_(\w+) = \d+,", (INCLUDE / "op.h").read_text())
    assert [name.lower().replace("_", "-") for name in names if name != "COUNT"] == list(counters.NAMES)


@pytest.mark.parametrize("data, what", (
    (b"", "too few"), (counters_bytes([])[:-1], "too few"), (counters_bytes([], magic=1), "begins with"),
    (counters_bytes([], count=counters.ROOM + 1), "room"),
), ids=("empty", "short", "magic", "room"))
def test_what_is_no_counters_file_is_told(data, what):
    with pytest.raises(counters.CountersError, match=what):
        counters.parse(data)


def test_counters_of_a_later_version_have_more_operations():
    known = len(counters.NAMES)
    assert f"operation-{known}" in counters.parse(counters_bytes([[i] * 17 for i in range(known + 1)]))


def test_counters_difference(tmp_path):
    before = counters.parse(counters_bytes([[1] * 17, [5] * 17]))
    after = counters.parse(counters_bytes([[1] * 17, [7] * 17]))
    change = counters.difference(after, before)
    assert change == {"rsa3072-private": counters.Operation(2, 2, 2, 2, 2, 2, [2] * 8, 2)}
    assert counters.difference(after, {}) == after
    assert counters.read(tmp_path / "none") == {}
    assert change["rsa3072-private"] + change["rsa3072-private"] == counters.Operation(4, 4, 4, 4, 4, 4, [4] * 8, 4)


# processes

def fake_proc(root: Path, pid: int, parent: int, name: str, schedstat: list[int], ticks: int = 0) -> None:
    folder = root / str(pid)
    for thread, nanoseconds in enumerate(schedstat):
        (folder / f"task/{thread}").mkdir(parents=True)
        (folder / f"task/{thread}/schedstat").write_text(f"{nanoseconds} 2000000 1\n")
    folder.mkdir(exist_ok=True)
    (folder / "stat").write_text(f"{pid} ({name}) S {parent} 1 1 0 -1 0 0 0 0 0 {ticks} {ticks} 0 0 20 0\n")


def test_children_and_cpu_time(tmp_path):
    fake_proc(tmp_path, 10, 1, "nginx", [5_000_000])
    fake_proc(tmp_path, 11, 10, "a) R 9 (b", [1_000_000_000, 500_000_000])
    fake_proc(tmp_path, 12, 10, "nginx", [], ticks=25)
    (tmp_path / "meminfo").write_text("")
    assert process.children(10, tmp_path) == [11, 12]
    assert process.cpu_times(11, tmp_path) == (1.5, 0.004)
    assert process.cpu_times(12, tmp_path) == (50 / os.sysconf("SC_CLK_TCK"), 0)


def test_cpu_time_of_a_real_process():
    used = process.cpu_times(os.getpid())[0]
    sum(range(2_000_000))
    assert 0.001 < process.cpu_times(os.getpid())[0] - used < 5


def test_memory(tmp_path):
    (tmp_path / "5").mkdir()
    (tmp_path / "5/smaps_rollup").write_text("5500-7fff ---p 00000000 00:00 0 [rollup]\nRss:   100 kB\nPss:  60 kB\n"
                                             "Private_Clean: 3 kB\nPrivate_Dirty:  40 kB\nVmFlags: x\n")
    assert process.memory_kb(5, tmp_path) == {"rss": 100, "pss": 60, "private": 43}


# the machine

@pytest.mark.parametrize("allowed, threads, expected", (
    ({0}, {}, (0, 0)), ({0, 1}, {}, (0, 1)), ({0, 1}, {0: "0-1", 1: "0-1"}, (0, 1)),
    ({0, 1, 2, 3}, {0: "0,2", 1: "1,3", 2: "0,2", 3: "1,3"}, (0, 3)), ({2, 5, 7}, {2: "2,7", 7: "2,7"}, (2, 5)),
))
def test_placement(tmp_path, allowed, threads, expected):
    for cpu, text in threads.items():
        (tmp_path / f"cpu{cpu}/topology").mkdir(parents=True)
        (tmp_path / f"cpu{cpu}/topology/thread_siblings_list").write_text(text + "\n")
    placement = machine.place(allowed, tmp_path)
    assert (placement.server, placement.client) == expected
    assert placement.shared == (len(allowed) == 1)
    assert bool(placement.note) == (len(allowed) == 1 or threads.get(0) == "0-1")


@pytest.mark.parametrize("flags, mask", [("avx2 vaes", ""), ("avx2 avx512f vaes", arguments.TABLES["avx2"])])
def test_only_what_a_cpu_has_is_masked(tmp_path, monkeypatch, flags, mask):
    (tmp_path / "cpuinfo").write_text(f"model name\t: Some CPU\nflags\t\t: fpu {flags}\n")
    monkeypatch.setattr(machine, "CPUINFO", tmp_path / "cpuinfo")
    assert arguments.mask_of("avx2") == mask and arguments.mask_of("avx512") == ""
    said = demo.said_of_table(arguments.arguments(["--table", "avx2"]), {"table": {"name": "avx2"}})
    assert ("masks" in " ".join(said)) == bool(mask) and bool(said) == bool(mask)


def test_machine_description():
    text = "processor : 0\nmodel name\t: Some CPU 9\nflags\t\t: fpu avx512f avx512ifma sse\n"
    assert machine.cpu_fields(text) == ("Some CPU 9", {"fpu", "avx512f", "avx512ifma", "sse"})
    described = machine.describe(machine.Placement(0, 1), nginx.find_nginx(), "1.2.3")
    assert described["nginx"].startswith("nginx/") and described["openssl"].startswith("OpenSSL ")
    assert described["octuple"] == "1.2.3" and described["cpus"] >= 1
    assert machine.first_line(["no-such-program"]) == ""


# measuring

def sample(completed: int, seconds: float, **more) -> measure.Sample:
    latency = dict.fromkeys(("p50", "p90", "p99", "max"), 100.0) | more.pop("latency", {})
    return measure.Sample({"completed": completed, "handshakes_per_s": completed, "cpu_us_per_handshake": 70.0,
                           "failed_total": more.pop("failed", 0), "overdue": more.pop("overdue", 0),
                           "latency_us": latency}, seconds, more.pop("waited", 0.0), more)


def test_summaries():
    samples = [sample(1000, 0.4), sample(1000, 0.2, failed=2), sample(500, 0.15, latency={"p99": 900.0})]
    summary = measure.capacity_summary(samples)
    assert summary["cpu_us_per_handshake"] == 300 and summary["handshakes_per_s"] == 1000
    assert summary["rounds_cpu_us"] == [400, 200, 300]
    assert (summary["completed"], summary["failed"]) == (2500, 2)
    assert measure.capacity_summary([sample(1, 3, waited=1)])["server_waited_percent"] == 25
    assert measure.latency_summary(samples)["p99"] == 100
    assert measure.latency_summary([sample(1, 1, overdue=3)])["overdue"] == 3
    assert measure.ratio(420, 210) == 2 and measure.ratio(1, 0) == 0


def test_servers_take_turns_in_changing_order(monkeypatch):
    seen = []
    bench = measure.Bench({}, Path("x"), 0)
    monkeypatch.setattr(bench, "run", lambda variant, *_args, seed, **_options: seen.append((variant, seed)))
    bench.rounds(load.HANDSHAKES[0], "test", 3, 0.1)
    assert seen == [("stock", 1), ("octuple", 1), ("octuple", 2), ("stock", 2), ("stock", 3), ("octuple", 3)]
    seen.clear()
    samples = bench.rounds(load.HANDSHAKES[0], "test", 2, 0.1, ("a", "b", "c"))
    assert seen == [("a", 1), ("b", 1), ("c", 1), ("c", 2), ("b", 2), ("a", 2)]
    assert {name: len(found) for name, found in samples.items()} == {"a": 2, "b": 2, "c": 2}


def test_operations_are_summed():
    one = counters.Operation(done=8, flushes=[0, 0, 0, 0, 0, 0, 0, 1])
    samples = [sample(1, 1, **{"rsa2048-private": one}),
               sample(1, 1, **{"rsa2048-private": one, "rsa2048-public": counters.Operation(done=99)}), sample(1, 1)]
    total = measure.operation_total(samples, "rsa2048-private")
    assert measure.operation_summary(total)["batch_fill"] == [0, 0, 0, 0, 0, 0, 0, 2]
    assert measure.operation_summary(total)["in_batches"] == 16


# the report

def a_result(name: str, in_batches: int, **latency) -> dict:
    side = {"group": "X25519", "cpu_us_per_handshake": 400.0, "handshakes_per_s": 2300.0,
            "client_cpu_us_per_handshake": 70.0, "completed": 10,
            "failed": 0, "rounds_cpu_us": [400.0], "server_waited_percent": 1.0,
            "latency_us": {"p50": 500.0, "p90": 700.0, "p99": 900.0,
                           "cpu_us_per_handshake": 410.0, "overdue": 0, "failed": 0}}
    side["latency_us"].update(latency)
    fill = {"batch_fill": [0, 0, 0, in_batches // 4, 0, 0, 0, 0], "in_batches": in_batches, "fallback": 3, "failed": 0,
            "recomputed": 0}
    octuple = json.loads(json.dumps(side)) | {"cpu_us_per_handshake": 200.0, "saturated": fill, "same_load": fill}
    return {"server": "nginx", "handshake": name, "title": f"<{name}>", "group": "X25519", "connections": 64,
            "stock": side, "octuple": octuple,
            "offered_per_s": 1600.0, "cpu_ratio": 2.0, "rate_ratio": 1.9}


def a_document(in_batches: int = 40, **latency) -> dict:
    memory = {"rss": 10, "pss": 8, "private": 5}
    return {"results": [a_result("tls13-rsa2048", in_batches, **latency), a_result("tls13-ecdsa-p256", 0)],
            "alone": [{"handshake": "tls13-rsa2048", "title": "<tls13-rsa2048>",
                       "stock": {"p50_us": 460.0, "p99_us": 500.0, "failed": 0},
                       "octuple": {"p50_us": 465.0, "p99_us": 505.0, "failed": 0}, "p50_change_percent": 1.09}],
            "few": [], "memory": {"stock": memory, "octuple": memory, "added": {"rss": 0, "pss": 0, "private": 0}},
            "machine": {"cpu": "Some CPU", "avx512": ["avx512f", "avx512ifma"], "placement_note": ""},
            "plan": {"rounds": 4, "seconds": 1.4, "connections": 64, "load_fraction": 0.7}, "warnings": ["<beware>"]}


class Tags(HTMLParser):
    """Which tags were opened and not closed."""

    def __init__(self):
        super().__init__()
        self.open, self.images, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        if tag == "img":
            self.images.append(dict(attrs)["src"])
        elif tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def text_of(page: str) -> str:
    """Of a page that stands alone and whose tags are in order."""
    tags = Tags()
    tags.feed(page)
    assert tags.open == [] and not tags.images
    assert "src=" not in page and "href=" not in page and "url(" not in page
    return " ".join(tags.text)


@pytest.mark.parametrize("in_batches", (40, 0))
def test_report(in_batches):
    text = text_of(demo_page.render(a_document(in_batches)))
    assert "<beware>" in text and "<tls13-rsa2048>" in text and "2.00" in text and "avx512f, avx512ifma" in text
    assert ("No operation ran in a batch." in text) == (in_batches == 0)


def test_report_begins_with_a_sentence_and_a_picture():
    page = demo_page.render(a_document())
    begins = [page.index(part) for part in ("<h1>", '<p class="lead">Your nginx needs 2.0 times less CPU', "<figure",
                                            "<table>")]
    assert begins == sorted(begins)


def test_losses_have_a_colour_of_their_own():
    document = a_document()
    document["results"][0]["cpu_ratio"] = 0.93
    page = demo_page.render(document)
    assert '<b class="lost">0.93</b>' in page and '<b class="won">2.00</b>' in page
    assert '"number ratio lost">0.93<' in page and '"number ratio won">2.00<' in page
    document["results"][0]["cpu_ratio"] = 0.998  # as much as 1.00 is, in two digits
    page = demo_page.render(document)
    assert '<b class="same">1.00</b>' in page and '<i class="stock"' in page and '"number ratio same">1.00<' in page
    colours = dict(re.findall(r"--(gain|loss|stock|ink): (#\w+);", page))
    assert len(set(colours.values())) == 4


def test_conclusion_is_ten_lines_at_most():
    document = a_document()
    document["results"] = [a_result(handshake.name, 40) for handshake in load.HANDSHAKES]
    document["results"][2]["cpu_ratio"] = 0.93
    document["results"][3]["cpu_ratio"] = 1.01
    lines = demo_page.conclusion(document)
    assert len(lines) == demo_page.MOST
    assert lines[0] == "Your nginx needs 2.0 times less CPU for a full handshake: 8 of 10 kinds."
    assert lines[1] == "<tls12-ecdhe-rsa2048>: 2.0 times less CPU for a handshake (200 us instead of 400)"
    assert "4 more kinds: 2.0 times less" in lines
    assert lines[-4].startswith("where it does not help: <tls13-rsa2048>: 1.08 times more CPU")
    assert lines[-3].startswith("where it does not help: <tls13-rsa3072>: the same CPU")
    assert lines[-2:] == ["where it does not help: one connection at a time, nothing to gather: latency 1 % higher",
                          "memory: 0.0 MB more of each worker's own"]


@pytest.mark.parametrize("changes, said", (
    ((-5.2, -0.3), "0 to 5 % lower"), ((-7.0, -7.4), "7 % lower"), ((0.2, -0.4), "the same"),
    ((1.2, 12.6), "1 to 13 % higher"), ((-3.0, 2.0), "between 3 % lower and 2 % higher")))
def test_latency_of_one_connection_is_told_in_words(changes, said):
    line = demo_page.lone([{"p50_change_percent": change} for change in changes])
    assert line.endswith(f"latency {said}") and ("does not help" in line) == (max(changes) >= 0.5)


def test_wide_tables_show_that_they_scroll():
    """By a shade at the side where there is more; and they can be scrolled by keys."""
    page = demo_page.render(a_document())
    assert page.count('class="scroll" tabindex="0"') == page.count("<table>") > 3
    assert re.search(r"\.scroll \{[^}]*local[^}]*scroll[^}]*\}", page)


def test_conclusion_without_any_gain():
    document = a_document()
    for result in document["results"]:
        result["cpu_ratio"] = 1.0
    assert demo_page.conclusion(document)[0].startswith("Octuple makes no kind of full handshake cheaper")


def test_fill_shares_are_of_operations():
    assert demo_page.fill_shares([2, 0, 0, 0, 0, 0, 0, 1]) == [20, 0, 0, 0, 0, 0, 0, 80]
    assert demo_page.fill_shares([0] * 8) == [0] * 8


# the command

def test_arguments(tmp_path):
    assert arguments.arguments([]).report == Path("demo-report")
    assert arguments.arguments(["--json", "x"]).report is None
    assert arguments.arguments(["--json", "x", "--report", "y"]).report == Path("y")
    with pytest.raises(SystemExit):
        arguments.arguments(["--handshake", "no-such"])
    chosen = demo.chosen(arguments.arguments(["--handshake", "tls13-rsa4096"]))
    assert [handshake.name for handshake in chosen] == ["tls13-rsa4096"]


def test_time_limits():
    """Under three minutes, and under 90 seconds."""
    assert demo.expected_seconds(measure.Plan(), list(load.HANDSHAKES)) < 170
    assert demo.expected_seconds(measure.QUICK, list(load.HANDSHAKES)) < 80


def hybrid_document() -> dict:
    """Octuple serves a group that stock has not."""
    document = a_document()
    document["results"][1]["group"] = document["results"][1]["octuple"]["group"] = "X25519MLKEM768"
    return document


def test_a_classical_handshake_stands_for_a_hybrid_one():
    hybrid = load.named("tls13-rsa2048-x25519mlkem768")
    assert hybrid.served_by(["X25519MLKEM768"]) is hybrid and hybrid.served_by([]).name == "tls13-rsa2048"
    assert load.named("tls13-rsa2048").served_by([]).name == "tls13-rsa2048"
    for handshake in load.HANDSHAKES + load.MORE_HANDSHAKES:
        classical = handshake.served_by([])
        assert not classical.hybrid and (classical.key, classical.operation) == (handshake.key, handshake.operation)
        assert bool(handshake.hybrid) == ("MLKEM" in handshake.group) and handshake.hybrid in ("", *nginx.HYBRIDS)


def test_unequal_groups_are_told():
    document = hybrid_document()
    warning, = demo.warnings(document, {}, machine.Placement(0, 1))
    assert "stock server has no X25519MLKEM768" in warning and "X25519 with the same certificate" in warning
    assert demo_page.render(document).count("(stock: X25519)") == 1
    assert "(stock:" not in demo_page.render(a_document())
    note, = html.of_notes({}, {"group": {"stock": "X25519", "octuple": "X25519MLKEM768"}})
    assert note.endswith("stock X25519; octuple X25519MLKEM768.")
    assert html.of_notes({}, {"group": {"stock": "X25519", "octuple": "X25519"}}) == []


def test_hybrid_groups_are_asked_of_openssl(tmp_path):
    (tmp_path / "openssl").write_text('#!/bin/sh\ncase "$*" in *" X25519MLKEM768 "*) echo "connect: refused";;'
                                      ' *) echo "Call to SSL_CONF_cmd() failed";; esac >&2\n')
    (tmp_path / "openssl").chmod(0o755)
    launcher = ["env", f"PATH={tmp_path}"]
    assert nginx.hybrid_groups(launcher, dict(os.environ)) == ["X25519MLKEM768"]
    assert nginx.hybrid_groups(["false"], dict(os.environ)) == []


def test_warnings():
    nobody, info = machine.Placement(0, 1), {"table": {"reason": "avx512ifma is missing"}}
    assert demo.warnings(a_document(), info, nobody) == []
    assert "avx512ifma is missing" in demo.warnings(a_document(0), info, nobody)[0]
    assert demo.warnings(a_document(), info, machine.Placement(0, 0, "shared")) == ["shared"]
    assert len(demo.warnings(a_document(failed=2), info, nobody)) == 2
    busy = a_document()
    busy["results"][0]["stock"]["server_waited_percent"] = 40
    assert "40 %" in demo.warnings(busy, info, nobody)[0] and demo.warnings(busy, info, machine.Placement(0, 0)) == []
    assert "fell behind" in demo.warnings(a_document(overdue=2), info, nobody)[0]
    assert demo.any_failed(a_document(failed=1)) and not demo.any_failed(a_document())


def test_stock_server_gets_a_clean_environment(monkeypatch):
    for name in ("LD_PRELOAD", "OPENSSL_CONF", "OCTUPLE_KEYS", "OCTUPLE_TABLE"):
        monkeypatch.setenv(name, "x")
    environment = nginx.clean_environment()
    assert "PATH" in environment and not {"LD_PRELOAD", "OPENSSL_CONF", "OCTUPLE_KEYS"} & set(environment)
    assert environment["OCTUPLE_TABLE"] == "x", "it says as on which CPU both sides are"


def test_a_server_that_does_not_start_says_why(tmp_path):
    with pytest.raises(nginx.ServerError, match="cannot load certificate"):
        nginx.Nginx("stock", tmp_path / "nginx", tmp_path / "nowhere", ["rsa2048"], 0).__enter__()


PASS_THROUGH = """#!/bin/sh
if [ "$1" = info ]; then echo '{"version":"9.9","table":{"name":"none","reason":"a test"}}'; exit; fi
shift 2
exec "$@"
"""


@pytest.fixture
def build_without_octuple(tmp_path, load_program) -> Path:
    """A build folder whose `octuple run` runs the server as it is, as it does on a CPU without AVX-512."""
    for folder in ("bin", "lib"):
        (tmp_path / "build" / folder).mkdir(parents=True)
    (tmp_path / "build/bin/octuple-load").symlink_to(load_program)  # beside it is its library
    (tmp_path / "build/bin/octuple").write_text(PASS_THROUGH)
    (tmp_path / "build/bin/octuple").chmod(0o755)
    for library in ("liboctuple-async.so", "octuple.so"):
        (tmp_path / "build/lib" / library).touch()
    return tmp_path / "build"


def test_demo_from_end_to_end(build_without_octuple, tmp_path, monkeypatch, capsys):
    short = measure.Plan(rounds=1, seconds=0.2, warm_up=0.05, load_rounds=1, load_seconds=0.2, alone_rounds=1,
                         alone_seconds=0.1, few_rounds=1, few_seconds=0.1)
    monkeypatch.setattr(measure, "QUICK", short)
    status = demo.main(["--quick", "--build-dir", str(build_without_octuple), "--json", str(tmp_path / "out.json"),
                        "--report", str(tmp_path / "report"), "--handshake", "tls12-rsa-kx-rsa2048",
                        "--handshake", "tls13-ecdsa-p256", "--handshake", "tls13-ecdsa-p256-x25519mlkem768"])
    said = capsys.readouterr()
    assert status == 0, said
    assert "Nothing was accelerated" in said.out and "a test" in said.out
    document = json.loads((tmp_path / "out.json").read_text())
    assert document == json.loads((tmp_path / "report/results.json").read_text())
    schemas.check("demo", document)
    assert (tmp_path / "report/index.html").read_text().startswith("<!DOCTYPE html>")
    assert [result["handshake"] for result in document["results"]] == ["tls12-rsa-kx-rsa2048", "tls13-ecdsa-p256",
                                                                           "tls13-ecdsa-p256-x25519mlkem768"]
    for result in document["results"]:
        assert result["server"] == "nginx" and 0.2 < result["cpu_ratio"] < 5
        for variant in ("stock", "octuple"):
            assert result[variant]["cpu_us_per_handshake"] > 50 and result[variant]["handshakes_per_s"] > 10
            assert result[variant]["failed"] == 0
    known = "X25519MLKEM768" if nginx.hybrid_groups([], dict(os.environ)) else "X25519"
    assert all(document["results"][2][variant]["group"] == known for variant in ("stock", "octuple"))
    assert (known == "X25519") == ("The stock server has no X25519MLKEM768" in " ".join(document["warnings"]))
    assert len(document["alone"]) == 2 and len(document["few"]) == 1
    assert document["memory"]["stock"]["private"] > 100 and document["machine"]["octuple"] == "9.9"


def test_demo_without_a_build(tmp_path, capsys):
    assert demo.main(["--build-dir", str(tmp_path)]) == 2
    assert "not built" in capsys.readouterr().err
