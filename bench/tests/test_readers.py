# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What experiments read of other programs: openssl speed, octuple trace, our own."""

from __future__ import annotations

import json

import pytest

from bench.experiments import frame, latency, trace
from bench.experiments.operations import openssl_speed, page_pairs, records, threads
from lab.servers import nginx

ONE_PROCESS = "+F4:3:256:33794.736842:6945.000000\n"
SEVERAL = ("Forked child 0\nForked child 1\nGot: +F4:3:256:24080.000000:6526.732673 from 0\n"
           "Got: +F4:3:256:21998.039216:5275.490196 from 1\n+F4:3:256:46078.039216:11802.222869\n")


@pytest.mark.parametrize("text, rates", (
    (ONE_PROCESS, [33794.736842, 6945]), (SEVERAL, [46078.039216, 11802.222869]),
    ("+F2:2:2048:1812.5:30406.25\n", [1812.5, 30406.25]),
    ("+F5:22:253:106680.000000:0.000009\n", [106680]), ("+H:1440\n+F:25:AES-128-GCM:1439074285.71\n", [1439074285.71]),
    ("Got: +H:16384 from 0\nGot: +F:25:AES-128-GCM:617136128.00 from 0\n+F:25:AES-128-GCM:1219231744.00\n",
     [1219231744]),
))
def test_openssl_speed_is_read(text, rates):
    assert openssl_speed.parse_rates(text) == rates


@pytest.mark.parametrize("text", ("", "Forked child 0\nGot: +F4:3:256:1:2 from 0\n", "+H:16:64\n"))
def test_openssl_speed_without_a_result_is_an_error(text):
    with pytest.raises(nginx.ServerError, match="no result"):
        openssl_speed.parse_rates(text)


def test_openssl_speed_commands():
    plain = openssl_speed.command({"algorithm": "rsa2048", "processes": 1, "jobs": 0}, 1)
    assert plain == ["openssl", "speed", "-mr", "-elapsed", "-seconds", "1", "rsa2048"]
    many = openssl_speed.command({"algorithm": "rsa2048", "processes": 4, "jobs": 64}, 1)
    assert many[6:] == ["-multi", "4", "-async_jobs", "64", "rsa2048"]
    cipher = openssl_speed.command({"algorithm": "aes-128-gcm", "processes": 1, "bytes": 64}, 1)
    assert cipher[6:] == ["-bytes", "64", "-aead", "-evp", "aes-128-gcm"]


def test_page_pairs():
    text = '{"stock": {"median_ns": 400, "slowest_ns": 420}, "octuple": {"median_ns": 70, "slowest_ns": 77}}'
    assert page_pairs.parse(text) == {"stock": {"time": 400, "slowest over median": 1.05},
                                      "octuple": {"time": 70, "slowest over median": 1.1}}


def test_rows_of_our_own_programs_are_read():
    rows = [{"verb": "seal", "stock_ns": 367.6, "octuple_ns": 234.9},
            {"verb": "open", "stock_ns": 300, "octuple_ns": 200}]
    assert records.parse(json.dumps(rows)) == {"seal": {"stock": 367.6, "octuple": 234.9},
                                               "open": {"stock": 300, "octuple": 200}}
    sides = {"stock": {"per_s": 904}, "octuple": {"per_s": 4430}}
    assert threads.parse(json.dumps([{"op": "p256-sign"} | sides])) == sides
    with pytest.raises(nginx.ServerError):
        threads.parse("[]")


def event(function: str, us: float | None, **more) -> str:
    return json.dumps({"time_us": 1, "pid": 7, "tid": 7, "command": "nginx", "function": function, "latency_us": us}
                      | more) + "\n"


def handshake(us: float) -> str:
    """One that was paused once, with a batch."""
    return "".join((
        event("SSL_do_handshake", 100, result=-1, connection="0x1"),
        event("octuple:flush", us, operation="rsa2048-private", lanes=8, reason="full"),
        event("octuple:single", None, operation="p256-sign"),
        event("EVP_PKEY_derive", 30, result=1), event("EVP_PKEY_derive", 10, result=1),
        event("SSL_do_handshake", 50, result=1, connection="0x1")))


def test_steps_are_medians_over_whole_handshakes():
    text = event("SSL_do_handshake", 9999,
                 result=1) + handshake(300) + handshake(310) + handshake(900) + event("EVP_PKEY_derive", 1)
    assert trace.steps(trace.parse_snoop(text)) == {"SSL_do_handshake": 150,
                                                    "octuple:flush rsa2048-private": 310, "EVP_PKEY_derive": 40}


@pytest.mark.parametrize("text", ("", handshake(1), event("SSL_do_handshake", 1, result=-1)))
def test_no_whole_handshake_is_an_error(text):
    with pytest.raises(trace.TraceError, match="no whole handshake"):
        trace.steps(trace.parse_snoop(text))


@pytest.mark.parametrize("line", ("nonsense", "[]", "{}", '{"function": "SSL_read"}',
                                  '{"function": "SSL_read", "latency_us": "x"}'))
def test_what_is_no_event_is_told(line):
    with pytest.raises(trace.TraceError, match="no event"):
        trace.parse_snoop(line)


def totals(*buckets: tuple[int, int, int], count: int | None = None) -> str:
    histogram = [{"from_us": low, "to_us": high, "count": number} for low, high, number in buckets]
    count = sum(number for *_, number in buckets) if count is None else count
    ok = {"count": count, "average_us": 12.5, "total_us": 1, "histogram": histogram}
    failed = {"count": 1, "average_us": 3.0, "total_us": 3.0, "histogram": [{"from_us": 2, "to_us": 4, "count": 1}]}
    function = {"function": "octuple:operation", "operation": "p256-sign", "ok": ok, "failed": failed}
    return '{"interval": 1}\n' + json.dumps({"total": True, "functions": [function]}) + "\n"


def test_latencies_are_the_totals():
    found = trace.parse_latency(totals((8, 16, 3), (32, 64, 1)))
    name = "octuple:operation p256-sign"
    assert found == {name: trace.Latencies(4, 12.5, [(8, 16, 3), (32, 64, 1)]),
                     f"{name}, not over": trace.Latencies(1, 3, [(2, 4, 1)])}
    summed = latency.summed({"stock": [found, trace.parse_latency(totals((16, 32, 5), (32, 64, 2)))],
                             "octuple": [found]})
    assert summed["histograms"][name]["stock"] == [(8, 16, 3), (16, 32, 5), (32, 64, 3)]
    assert summed["metrics"][f"{name}, mean"]["sides"] == {"stock": [12.5, 12.5], "octuple": [12.5]}


@pytest.mark.parametrize("text, what", (("", "without its totals"),
                                        ('{"interval": 1}\n', "without its totals"), ("nonsense\n", "no line"),
                                        ('{"total": true}\n', "no line"),
                                        (totals((1, 2, 3), count=4), "histogram has 3")))
def test_latencies_that_do_not_hold_are_told(text, what):
    with pytest.raises(trace.TraceError, match=what):
        trace.parse_latency(text)


def test_tracer(fake_build, tmp_path):
    for status, error in (("6", frame.Unavailable), ("1", trace.TraceError)):
        (tmp_path / "status").write_text(status)
        with pytest.raises(error, match=f"status {status}: no uprobes here"):
            with trace.Tracer(fake_build, "snoop", 1, 0.2):
                pass
    (tmp_path / "trace").write_text(handshake(1) * 3000)  # more than a pipe holds
    with trace.Tracer(fake_build, "snoop", 1, 0.2) as tracer:
        while tracer.running:
            pass
    assert tracer.text == handshake(1) * 3000
