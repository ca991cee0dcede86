# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""bench/run quic without a transfer: what is measured, in which order, and what is made of it."""

import json
from pathlib import Path

import pytest

from bench.measure import quic
from lab import cargo, machine, schemas


def told(cpu: float, goodput: float = 100.0, tier: str = "zmm") -> dict:
    return {"server": {"cpu_s_per_gb": cpu}, "client": {"goodput_mb_s": goodput}, "tier": tier}


def test_transfers_of_each_suite_on_both_networks():
    chosen = quic.transfers(quic.arguments(["--suite", "aes128", "--megabytes", "3", "--percent", "2"]))
    assert chosen == [quic.Transfer("aes128", 3_000_000), quic.Transfer("aes128", 100_000_000, 0.02, 0.02)]
    assert len(quic.transfers(quic.arguments([]))) == 2 * len(quic.SUITES)
    assert [what.loss for what in quic.transfers(quic.arguments(["--megabytes", "0"]))] == [0.01] * 3
    with pytest.raises(SystemExit):
        quic.arguments(["--suite", "aes192"])


def test_relay_only_where_the_network_is_bad():
    assert quic.Transfer("aes128", 5).options(3) == ["--suite", "aes128", "--bytes", "5"]
    assert quic.Transfer("aes128", 5,
                         reorder=0.1).options(3)[4:] == ["--loss", "0.0", "--reorder", "0.1", "--seed", "3"]


def test_medians_of_rounds_in_turns(monkeypatch):
    seen, cpu = [], {"stock": iter((3.0, 1.5, 1.0)), "octuple": iter((1.0, 1.2, 9.0))}

    def run(_program, _build, variant, _what, _placement, seed):
        seen.append((variant, seed))
        return told(next(cpu[variant]), tier="none" if variant == "stock" else "zmm")

    monkeypatch.setattr(quic, "run", run)
    result = quic.compare(Path("p"), Path("b"), quic.Transfer("aes128", 5), 3, machine.Placement(0, 1))
    assert seen == [("stock", 1), ("octuple", 1), ("octuple", 2), ("stock", 2), ("stock", 3), ("octuple", 3)]
    assert result["stock"]["cpu_s_per_gb"] == 1.5 and result["octuple"]["cpu_s_per_gb"] == 1.2
    assert result["cpu_ratio"] == 1.25 and result["tier"] == "zmm"
    assert result["octuple"]["rounds_cpu_s_per_gb"] == [1.0, 1.2, 9.0]
    assert quic.result_table([result]).row_count == 1


def test_without_cargo_it_says_so(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert quic.main(["--build-dir", str(tmp_path)]) == 2
    assert "cargo is not installed" in capsys.readouterr().err


def test_numbers_are_written(monkeypatch, tmp_path):
    monkeypatch.setattr(cargo, "why_not", lambda build: "")
    monkeypatch.setattr(cargo, "build_all", lambda build: build / "transfer")
    monkeypatch.setattr(quic, "run", lambda *_arguments, **_options: told(2.0))
    assert quic.main(["--suite", "chacha20", "--rounds", "1", "--json", str(tmp_path / "out.json")]) == 0
    document = json.loads((tmp_path / "out.json").read_text())
    schemas.check("quic", document)
    assert [result["loss"] for result in document["results"]] == [0.0, 0.01]
    assert all(result["cpu_ratio"] == 1 for result in document["results"]) and document["machine"]["cpu"]


@pytest.mark.parametrize("version, reason", (
    ("cargo 1.63.0 (fd9c4297c 2022-07-01)", "1.63"), ("cargo 1.84.1", "needs 1.85"), ("1.95", "not its version"),
    ("cargo 1.85.0", ""), ("cargo 1.95.0 (f2d3ce0bd 2026-03-21)", ""), ("cargo 2.0.0", "")))
def test_old_cargos_are_known(version, reason):
    assert (reason in cargo.too_old(version)) if reason else not cargo.too_old(version)
