# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""bench/peers: arguments, what is read of programs, the form of its JSON, and its chart. The peers are fakes."""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.experiments import ALL, frame
from bench.experiments.operations import peers
from bench.measure import peers as command
from bench.report import about, chart, page, summary
from lab import debian, schemas
from lab.servers.nginx import ServerError

BESIDE = [{"library": "crypto_mb 1", "note": None},
          {"name": "rsa2048-private", "unit": "op/s", "pairs": [[220, 200], [330, 300], [130, 100]]},
          {"name": "aes128gcm-seal-64", "unit": "B/s", "pairs": [[2e9, 4e9], [2e9, 4e9]]},
          {"name": "ed25519-sign", "unit": "op/s", "reason": "results differ, so nothing was timed"}]
SPEED = [{"op": "p256-sign", "octuple_per_s": 90.0, "openssl_per_s": 30.0, "ratio": 3.0, "unit": "op/s"},
         {"op": "mlkem768-keygen", "octuple_per_s": 9.0, "openssl_per_s": None, "ratio": None, "unit": "op/s"}]
EVP = [{"verb": "seal", "stock_ns": 80, "octuple_ns": 64}, {"verb": "open", "stock_ns": 64, "octuple_ns": 128}]


def lines(rows: list[dict]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


# a place with fake peers

@dataclass
class Place:
    """Runs all commands here, by a script that plays openssl and our programs; notes what was asked for."""

    script: Path
    reason: str = ""
    installed: int = 0

    def prefix(self, _build: Path) -> list[str]:
        return [str(self.script)]

    def why_not(self) -> str:
        return self.reason

    def install(self) -> None:
        self.installed += 1


@pytest.fixture
def place(tmp_path, monkeypatch, fake_build):
    """`openssl speed` here never ends by itself."""
    (tmp_path / "beside.json").write_text(lines(BESIDE))
    (tmp_path / "speed.json").write_text(lines(SPEED))
    (tmp_path / "evp.json").write_text(json.dumps(EVP))
    (tmp_path / "evp.status").write_text("0")
    script = tmp_path / "enter"
    script.write_text(f"""#!/bin/sh
case "$*" in
*beside/build*) exit 0;;
*beside/*) cat {tmp_path}/beside.json;;
*"openssl version"*) echo "OpenSSL 3.77.1 1 Jan 2030 (Library: x)";;
*"openssl engine"*) echo "(qatengine) v2";;
*octuple-evp*) cat {tmp_path}/evp.json; exit $(cat {tmp_path}/evp.status);;
*"octuple speed --help"*) printf '  p256-sign\\n  p256-verify\\n';;
*"octuple speed"*) echo "$OCTUPLE_TABLE $*" >>{tmp_path}/asked; cat {tmp_path}/speed.json; exit 3;;
*"openssl speed"*) echo "$*" >>{tmp_path}/asked; echo +R1:200:2048:1.00; echo +R2:600:2048:2.00; exec sleep 60;;
esac
""")
    script.chmod(0o755)
    found = Place(script)
    monkeypatch.setattr(debian, "place", lambda: found)
    monkeypatch.setattr(about, "busy_percent", lambda: 0.0)
    monkeypatch.setattr(peers, "PEERS", peers.PEERS | {"openssl-3.77": peers.PEERS["openssl-3.5"]})
    monkeypatch.setitem(ALL, "peers", ALL["peers"])
    return found


def run(build, tmp_path: Path, *options: str) -> tuple[int, dict]:
    path = tmp_path / "out.json"
    status = command.main(["--quick", "--json", str(path), "--build-dir", str(build.folder),
                           "--folder", str(tmp_path / "runs"), *options])
    return status, json.loads(path.read_text()) if path.exists() else {}


# the command

def test_the_form_of_results(place, fake_build, tmp_path, capsys):
    status, document = run(fake_build, tmp_path, "--peer", "crypto_mb")
    assert status == 0 and place.installed == 1
    assert document["machine"]["cpu"] and document["experiment"] == "peers"
    rsa, aes = document["results"]
    assert rsa == {"name": "rsa2048-private", "against": "crypto_mb", "peer": 200, "octuple": 220, "ratio": 1.1,
                   "spread": [1.1, 1.2], "unit": "op/s", "library": "crypto_mb 1"}
    assert (aes["peer"], aes["octuple"], aes["ratio"], aes["unit"]) == (4e9, 2e9, 0.5, "B/s")
    assert document["not_measured"] == ["crypto_mb, ed25519-sign: results differ, so nothing was timed"]
    said = capsys.readouterr().out
    assert "rsa2048-private" in said and "ed25519-sign: results differ" in said
    folder = tmp_path / "runs/peers-quick"
    assert json.loads((folder / "results.json").read_text()) == document
    schemas.check("experiment", document)
    assert (folder / "report.html").exists() and (folder / "ratios.svg").read_text().startswith("<svg")


def test_openssl_is_stock(place, fake_build, tmp_path):
    status, document = run(fake_build, tmp_path, "--peer", "openssl-3.77")
    assert status == 0
    sign, *records = document["results"]
    assert sign == {"name": "p256-sign", "against": "openssl-3.77", "stock": 30, "octuple": 90, "ratio": 3.0,
                    "spread": [3.0, 3.0], "unit": "op/s", "library": "OpenSSL 3.77.1 1 Jan 2030"}
    assert [(row["name"], row["stock"], row["octuple"], row["ratio"]) for row in records[:2]] == [
        ("evp-aes128gcm-seal-64", 0.8e9, 1e9, 1.25), ("evp-aes128gcm-open-64", 1e9, 0.5e9, 0.5)]
    assert records[-1]["name"] == "evp-chacha20poly1305-open-16384" and len(records) == 3 * 4 * 2
    first, second = (tmp_path / "asked").read_text().splitlines()
    seconds = f"--seconds {peers.Peers.quick.seconds}"
    assert first.endswith(seconds) and second.endswith(f"{seconds} p256-sign"), "no more than OpenSSL has"


@pytest.mark.parametrize("given, options", (("", ("--table", "avx2")), ("avx2", ())))
def test_as_another_cpu(place, fake_build, tmp_path, monkeypatch, given, options):
    monkeypatch.setenv("OPENSSL_ia32cap", "")
    monkeypatch.setenv("OCTUPLE_TABLE", given)
    assert run(fake_build, tmp_path, "--peer", "openssl-3.77", *options)[0] == 0
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked and all(line.startswith("avx2 ") for line in asked)
    assert (tmp_path / "runs/peers-avx2-quick/results.json").exists()


def test_part_of_the_operations(place, fake_build, tmp_path):
    assert run(fake_build, tmp_path, "--peer", "openssl-3.77", "--operation", "p256-s")[0] == 0
    assert (tmp_path / "asked").read_text().splitlines()[0].endswith(f"--seconds {peers.Peers.quick.seconds} p256-sign")
    assert run(fake_build, tmp_path, "--peer", "openssl-3.77", "--operation", "nothing")[0] == 3


def test_ciphers_that_octuple_does_not_serve(place, fake_build, tmp_path):
    (tmp_path / "evp.status").write_text("77")
    part = ("--operation", "evp-chacha20poly1305-seal-64")
    status, document = run(fake_build, tmp_path, "--peer", "openssl-3.77", *part)
    assert status == 0 and document["results"] == []
    reason, = document["not_measured"]
    assert reason.startswith("openssl-3.77, evp-ChaCha20-Poly1305-64: ")


def test_the_engine_in_turns(place, fake_build, tmp_path, monkeypatch):
    (tmp_path / "cpuinfo").write_text("vendor_id : GenuineIntel\n")
    monkeypatch.setattr(peers, "CPUINFO", tmp_path / "cpuinfo")
    status, document = run(fake_build, tmp_path, "--peer", "qatengine", "--operation", "rsa")
    assert status == 0
    assert [(row["name"], row["peer"], row["ratio"]) for row in document["results"]] == [
        ("rsa2048-private", 200, 1), ("rsa2048-public", 300, 1)]
    theirs, ours = (tmp_path / "asked").read_text().splitlines()
    assert "-engine qatengine" in theirs and "octuple run" not in theirs
    assert "-engine" not in ours and "octuple run -- openssl speed" in ours and "-async_jobs 64 rsa2048" in ours


def test_the_engine_on_another_cpu_says_why(place, fake_build, tmp_path, monkeypatch, capsys):
    (tmp_path / "cpuinfo").write_text("vendor_id : AuthenticAMD\n")
    monkeypatch.setattr(peers, "CPUINFO", tmp_path / "cpuinfo")
    status, document = run(fake_build, tmp_path, "--peer", "qatengine")
    assert status == 0 and document["results"] == []
    assert document["not_measured"] == [f"qatengine, all: {peers.NO_ENGINE}"]
    assert peers.NO_ENGINE in capsys.readouterr().out.replace("\n", " ")


def test_what_is_not_installed_is_told(place, fake_build, tmp_path, capsys):
    place.reason = "no such Debian"
    status, document = run(fake_build, tmp_path, "--no-install", "--peer", "ipsec-mb")
    assert status == 3 and place.installed == 0
    assert document["not_measured"] == ["peer ipsec-mb: no such Debian; `bench/peers` installs it"]


def test_this_system_has_its_own_openssl(place, fake_build, tmp_path, monkeypatch):
    """Which needs nothing that would have to be installed."""
    place.reason = "no such Debian"
    version = subprocess.run(["openssl", "version"], capture_output=True, text=True, check=True).stdout.split()[1]
    peer = "openssl-" + ".".join(version.split(".")[:2])
    monkeypatch.setitem(peers.PEERS, peer, "openssl")
    for name, file in (("octuple", "speed"), ("octuple-evp", "evp")):
        (fake_build.folder / f"bin/{name}").write_text(f"#!/bin/sh\ncase $1 in\ninfo) echo '{{}}';;\n"
                                                       f"*) cat {tmp_path}/{file}.json;;\nesac\n")
        (fake_build.folder / f"bin/{name}").chmod(0o755)
    status, document = run(fake_build, tmp_path, "--no-install", "--peer", peer)
    assert status == 0 and document["results"][0]["library"].startswith(f"OpenSSL {version}")


def test_an_installation_that_fails(place, fake_build, tmp_path, monkeypatch, capsys):
    def fail():
        raise debian.InstallError("no network")

    monkeypatch.setattr(place, "install", fail)
    assert run(fake_build, tmp_path)[0] == 2 and "bench/peers: no network" in capsys.readouterr().err


@pytest.mark.parametrize("options", (("--peer", "nobody"), ("--seconds", "x"), ("more",)))
def test_wrong_usage(options, capsys):
    with pytest.raises(SystemExit) as raised:
        command.main(list(options))
    assert raised.value.code == 2 and "usage: bench/peers" in capsys.readouterr().err


def test_a_part_is_not_kept(place, fake_build, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command.main(["--quick", "--peer", "crypto_mb", "--build-dir", str(fake_build.folder)]) == 0
    assert not (tmp_path / "build/experiments").exists()
    assert "Report:" not in capsys.readouterr().out  # it is gone


# what is read

def test_engine_results():
    text = "Cannot open /dev/vfio\n+DTP:2048:private:rsa:1\n+R1:3853:2048:1.00\n+R2:624:2048:2.00\n+R3:1:2048:1.00\n"
    assert peers.engine_rates(text, 2) == [3853, 312]
    assert peers.engine_rates("+R:1497212:AES-128-GCM:1.000000\n", 1) == [1497212]
    with pytest.raises(ServerError, match="1 results of 2"):
        peers.engine_rates("+R1:1:2048:1.00\n", 2)


def test_rounds_of_speed():
    again = [SPEED[0] | {"octuple_per_s": 120.0}]
    found = summary.of_metric(peers.of_speed([lines(SPEED), lines(again)])["p256-sign"])
    assert found["ratio"] == {"octuple": 3.5} and found["median"] == {"stock": 30, "octuple": 105}


def test_a_quick_run_has_less_of_the_engine():
    full, quick = (list(peers.engine_commands(size)) for size in (peers.Peers.full, peers.Peers.quick))
    assert len(quick) < len(full) and all(one in full for one in quick)
    assert all(len(names) > 0 and size in (0, *peers.ENGINE_SIZES) for names, _, size in full)


# the place

def test_the_root_is_entered_with_the_build(tmp_path, monkeypatch):
    for name in "OCTUPLE_TABLE", "OPENSSL_ia32cap":
        monkeypatch.delenv(name, raising=False)
    root = debian.Root(tmp_path)
    prefix = root.prefix(Path("/somewhere/build"))
    assert prefix[-6:] == [str(debian.ENTER), "--see", "/somewhere/build", str(tmp_path), "trixie", "env"]
    monkeypatch.setenv("OCTUPLE_TABLE", "avx2")
    assert root.prefix(Path("/somewhere/build"))[-2:] == ["env", "OCTUPLE_TABLE=avx2"], "sudo drops it"
    assert "no Debian trixie" in root.why_not()
    (tmp_path / "trixie/var/lib").mkdir(parents=True)
    (tmp_path / "trixie/var/lib/octuple-ready").touch()
    assert root.why_not() == ""


@pytest.mark.parametrize("codename, kind", (("bookworm", debian.Root), ("trixie", debian.Here), ("", debian.Here)))
def test_which_place(codename, kind, monkeypatch):
    monkeypatch.setattr(debian.platform, "freedesktop_os_release", lambda: {"VERSION_CODENAME": codename})
    assert isinstance(debian.place(), kind)


# the chart, and the page

def points() -> list[dict]:
    records = [{"key": {"peer": "crypto_mb"}} | peers.of_beside(lines(BESIDE)),
               {"key": {"peer": "<other>"}, "metrics": peers.of_speed([lines(SPEED)])}]
    return summary.of_records(records)


def test_the_chart():
    text = chart.svg(points(), "peer", "Title & more")
    assert text == chart.svg(points(), "peer", "Title & more")
    root = xml.fromstring(text)
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    for expected in ("crypto_mb", "<other>", "rsa2048-private", "p256-sign", "1.10", "0.50", "3.00"):
        assert expected in words
    bars = [element for element in root.iter("{http://www.w3.org/2000/svg}rect")][1:]
    assert [element.get("fill") for element in bars] == [chart.GAINS, chart.LOSES, chart.GAINS]
    assert all(0 < float(element.get("width")) <= chart.PANEL for element in bars)


def test_the_page_shows_chart_and_table(tmp_path, capsys):
    docs, folder = tmp_path / "docs", tmp_path / "run"
    (docs / "results").mkdir(parents=True)
    (docs / "results/published.json").write_text('{"found": [], "not_found": []}')
    described = {"experiment": "peers", "title": "Peers", "about": "All.", "command": "bench/experiment peers --quick",
                 "size": {"rounds": 2, "seconds": 0.1}, "identity": {},
                 "sessions": [{"began": "2026-11-22T03:00:00+00:00", "busy_percent": 0.0}],
                 "machine": {"cpu": "C", "cpus": 1, "system": "D", "kernel": "6", "openssl": "O", "nginx": "",
                             "compiler": "gcc", "octuple": "0.1.0", "width": 512}}
    run_ = frame.Run.begin(folder, described, [])
    run_.append({"key": {"peer": "crypto_mb"}} | peers.of_beside(lines(BESIDE)))
    given = ["--docs", str(docs), "--machine", "m", str(folder)]
    assert page.main(given) == 0 and page.main([*given, "--check"]) == 0
    assert "(results/m/peers.svg)" in (docs / "results.md").read_text()
    capsys.readouterr()
    assert page.main(["--docs", str(docs), "--show", "m/peers"]) == 0
    text = capsys.readouterr().out
    assert "| rsa2048-private | 1.10 |" in text
    assert "- crypto_mb: ed25519-sign: results differ, so nothing was timed." in text
    assert "- crypto_mb: measured was crypto_mb 1." in text
    (docs / "results/m/peers.svg").write_text("<svg/>")
    assert page.main(["--docs", str(docs), "--check"]) == 1
    assert "peers.svg is not what its source gives" in capsys.readouterr().err
