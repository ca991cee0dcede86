# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address LONG
"""octuple top: running servers, counters that were kept, what programs read of it,
and what is said where there is nothing."""
import contextlib
import json
import os
import re
import shutil
import subprocess
import time

import pytest
from tests.cli.conftest import build_folder
from tests.cli.counters_file import ALIVE, ENDED, Kept, MAGIC, OTHERS, RSA, X25519, content, hello_counters
from tests.cli.counters_file import key_counters, stay_counters
from prometheus_client.parser import text_string_to_metric_families
from tests.cli.test_doctor import as_root, certificate, nginx, pair, port, running  # noqa: F401: fixtures

SOME = {RSA: {"submitted": 100, "done": 90, "fallback": 9, "failed": 1, "recomputed": 2, "batches": {8: 10, 2: 5},
              "nanoseconds": 2 * 10**9}}
NAME = "rsa2048-private"
SPEED = ["openssl", "speed", "-async_jobs", "8", "-seconds", "30", "rsa2048"]


@pytest.fixture
def sleeper():
    with subprocess.Popen(["sleep", "600"]) as child:
        yield child.pid
        child.kill()


def look(place, *args):
    """The processes by pid, each with its operations by name."""
    seen = place.json("top", "--once", "--json", *args, **as_root())["processes"]
    for one in seen:
        one["operations"] = {op["name"]: op for op in one["operations"]}
    return {one["pid"]: one for one in seen}


def samples(text):
    """By name and labels, as Prometheus's own parser for Python reads it."""
    return {(s.name, frozenset(s.labels.items())): s.value for family in text_string_to_metric_families(text)
            for s in family.samples}


def check_with_promtool(text):
    """Debian has it in the package prometheus, which is a service: where it is not installed, its parser has to do."""
    if shutil.which("promtool"):
        checked = subprocess.run(["promtool", "check", "metrics"], input=text,
                                 capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stdout + checked.stderr


def of(values, name, **labels):
    return values[name, frozenset({key: str(value) for key, value in labels.items()}.items())]


def test_master_and_workers(served, nginx, port):  # noqa: F811
    """What the forms say of a server that stands still is the same; nothing had to be switched on for it."""
    with running(served, served.folder / "bin/octuple", "run", "--", *nginx, port=port) as pid:
        load = [build_folder() / "bin/octuple-load", "127.0.0.1", str(port), "--handshakes", "100"]
        subprocess.run(load, env=served.env, check=True, capture_output=True)
        seen = look(served, pid)
        assert len(seen) == 2 and {one["command"] for one in seen.values()} == {"nginx"}
        worker = next(one for one in seen if one != pid)
        rsa = seen[worker]["operations"]["rsa2048-private"]
        assert rsa["done"] + rsa["fallback"] >= 100 and rsa["waiting"] == 0 and seen[pid]["state"] == "running"
        assert set(look(served, "nginx")) >= {pid, worker} and set(look(served)) >= {pid, worker}
        text = served.call("top", "--prometheus", pid, **as_root()).stdout
        check_with_promtool(text)
        values = samples(text)
        assert values["octuple_processes", frozenset()] == 2
        label = {"pid": worker, "command": "nginx", "op": "rsa2048-private"}
        assert of(values, "octuple_jobs_done_total", **label) == rsa["done"]
        assert of(values, "octuple_jobs_waiting", **label) == 0
        assert [of(values, "octuple_batches_total", jobs=n + 1, **label) for n in range(8)] == rsa["batches"]
        threads = samples(served.call("top", "--prometheus", "--threads", pid, **as_root()).stdout)
        assert of(threads, "octuple_jobs_done_total", thread=worker, **label) == rsa["done"]
        text = served.call("top", "--once", pid, **as_root()).stdout
        assert re.search(rf"^rsa2048-private +{rsa['done'] + rsa['fallback']} ",
                         text, re.M) and f"\n{worker} nginx" in text


@contextlib.contextmanager
def busy(place, *options):
    """openssl speed says nothing before it is done: that it has begun its counters tell."""
    command = [place.folder / "bin/octuple", "run", *options, "--", *SPEED]
    with subprocess.Popen(command, env=place.env, cwd=place.work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          **place.user()) as child:
        try:
            for _ in range(400):
                seen = place.call("top", "--once", "--json", child.pid, **as_root())
                if seen.returncode == 0 and json.loads(seen.stdout)["processes"][0]["operations"][RSA]["done"]:
                    break
                time.sleep(0.05)
            yield child.pid
        finally:
            child.terminate()


def test_what_happens_between_two_looks(served):
    with busy(served) as pid:
        said = served.call("top", "--count", "3", "--interval", "0.5", pid, **as_root()).stdout
        assert re.match(r"\d+ operations, \d+% in lanes", said), "the verdict comes first"
        blocks = said.split("octuple top ")[1:]
        assert len(blocks) == 3 and "since the start" in blocks[0] and "last 0." in blocks[2]
        row = re.search(r"^rsa2048-private +([\d.]+) +([\d.]+) +\S{8} ", blocks[2], re.M)
        assert row and float(row[1]) > 0 and 1 < float(row[2]) <= 8, blocks
        lines = served.call("top", "--json", "--count", "2", "--interval", "0.2", pid, **as_root()).stdout.splitlines()
        done = [json.loads(line)["processes"][0]["operations"][RSA]["done"] for line in lines]
        assert len(done) == 2 and done[1] > done[0]


@pytest.mark.parametrize("happens", [
    lambda file: os.truncate(file, 0), lambda file: os.truncate(file, 9000), lambda file: file.unlink(),
    lambda file: [file.unlink(), file.write_bytes(b"")]])
def test_file_is_taken_away(served, happens):
    """The process counts on, and so does what reads its memory."""
    kept = served.work / "kept"
    kept.mkdir(0o777)
    kept.chmod(0o777)
    with busy(served, "--counters", kept) as pid:
        file = kept / f"{pid}.octuple"
        assert look(served, f"{kept}/")[pid]["operations"][NAME]["done"] > 0
        happens(file)
        before = look(served, pid)[pid]["operations"][NAME]["done"]
        for _ in range(400):
            after = look(served, pid)[pid]
            if after["operations"][NAME]["done"] > before:
                break
            time.sleep(0.05)
        assert after["operations"][NAME]["done"] > before and after["state"] == "running"
        found = served.call("doctor", "--json", pid, **as_root())
        assert json.loads(found.stdout)["lanes"]["processes"] == 1
        if file.exists() and served.as_root:
            assert look(served, f"{kept}/")[pid]["operations"][NAME]["done"] >= after["operations"][NAME]["done"]
        other = served.work / "other"
        other.mkdir()
        if file.exists():
            (other / "999999999.octuple").write_bytes(file.read_bytes())
        result = served.call("top", "--once", f"{other}/")
        assert result.returncode == 1
        assert ("somebody has shortened" if file.exists() else "there are no counters in") in result.stderr


def test_server_outlives_its_files(served, nginx, port):  # noqa: F811
    """Master and worker: either would end by SIGBUS if it counted in a mapping of its file."""
    kept = served.work / "kept"
    kept.mkdir(0o777)
    kept.chmod(0o777)
    load = [build_folder() / "bin/octuple-load", "127.0.0.1", str(port), "--handshakes", "100"]
    with running(served, served.folder / "bin/octuple", "run", "--counters", kept, "--", *nginx, port=port) as pid:
        subprocess.run(load, env=served.env, check=True, capture_output=True)
        before = look(served, f"{kept}/")
        assert len(before) == 2
        for file in kept.iterdir():
            os.truncate(file, 0)
        subprocess.run(load, env=served.env, check=True, capture_output=True)
        after = look(served, pid)
        assert set(after) == set(before) and all(one["state"] == "running" for one in after.values())
        (worker,) = set(after) - {pid}
        first, second = (seen[worker]["operations"][NAME] for seen in (before, after))
        assert second["done"] + second["fallback"] >= first["done"] + first["fallback"] + 100


def test_kept_after_the_end(served):
    kept = served.work / "kept"
    served.call("run", "--counters", "kept", "--", *[word if word != "30" else "1" for word in SPEED])
    assert "cannot keep counters in kept" in served.call("run", "--counters", "kept", "--", "true").stderr
    kept.mkdir(0o777)
    kept.chmod(0o777)
    ended = served.call("run", "--counters", "kept", "--", *[word if word != "30" else "1" for word in SPEED])
    assert ended.returncode == 0
    (one,) = look(served, f"{kept}/").values()
    assert one["state"] == "ended" and one["command"] == "openssl" and one["operations"]["rsa2048-private"]["done"] > 0
    text = served.call("top", kept).stdout
    assert "0 running, 1 ended, since the start" in text and "rsa2048-private" in text


def test_threads_of_a_file(place):
    threads = [(OTHERS, 0, {X25519: {"fallback": 5}}), (ALIVE, 41, {RSA: {"done": 70, "waiting": 2}}),
               (ENDED, 42, {RSA: {"done": 20}}), (1, 43, {RSA: {"done": 1}}), (ALIVE, 44, {})]
    Kept(place.work / "kept", 40, running=False).keep(SOME, threads)
    text = place.call("top", "--threads", "kept/", env={"LC_ALL": "C"}).stdout
    assert [line.split()[:2] for line in text.split("PROCESS")[1].splitlines()[2:5]] == [
        ["others", "5"], ["41", "70"], ["42", "ended"]] and " 43" not in text
    (one,) = place.json("top", "--once", "--json", "--threads", "kept/")["processes"]
    assert [(t["tid"], t["state"])
            for t in one["threads"]] == [(0, "others"), (41, "running"), (42, "ended"), (44, "running")]
    assert one["operations"][RSA]["waiting"] == 2
    assert re.search(r"^rsa2048-private +100 +6.0 \.5\.\.\.\.\.9 +9 +2 +2.0 +1 +2$", text, re.M)


KEYS = [2, 4, 30 * 10**9, 50, 40, 3, 2, 1, 30, 5, 4, 12, 7, 9, 4, 3, 30 * 10**6, 900 * 10**6]


def test_keys_of_a_file(place, sleeper):
    """What begins behind the counters of the threads, and may be missing there, or cut."""
    kept = Kept(place.work / "kept", sleeper)
    made = key_counters(KEYS, [0, 1, 0, 0, 2, 12], [0, 0, 30], [0, 0, 0, 45], [(b"p\nkcs11", 1, 50, 900 * 10**6)])
    kept.keep(SOME, keys=made.ljust(1216, b"\0"))
    text = place.call("top", "--once", "kept/").stdout
    assert "keys in devices: 50, 4 in flight (12 at most), 7 in line, 3 of 4 threads at work, limit 4\n" in text
    assert "  1.0 ms in line, 20.0 ms in the device; 40 done, 3 failed, 2 timed out, 1 called off\n" in text
    assert "  inside the call: 1 in handshakes that cannot be paused, 2 first of its kind, 12 faster than " in text
    keys = place.json("top", "--once", "--json", "kept/")["processes"][0]["keys"]
    assert keys["state"] == "served" and keys["in_line"] == 7 and keys["inside"]["quick"] == 12
    assert keys["line_us"][2] == 30 and keys["device_us"][3] == 45
    assert keys["owners"] == [{"name": "p?kcs11", "way": "threads", "operations": 50, "nanoseconds": 900 * 10**6}]
    text = place.call("top", "--prometheus", "kept/").stdout
    check_with_promtool(text)
    values, label = samples(text), {"pid": sleeper, "command": "made"}
    assert of(values, "octuple_key_operations_total", **label) == 50
    assert of(values, "octuple_key_operations_inside_total", reason="quick", **label) == 12
    assert of(values, "octuple_key_device_seconds_bucket", le="0.000004", **label) == 0
    assert of(values, "octuple_key_device_seconds_bucket", le="0.000008", **label) == 45
    assert of(values, "octuple_key_device_seconds_bucket", le="+Inf", **label) == 45
    assert of(values, "octuple_key_line_seconds_sum", **label) == 0.03
    kept.keep(SOME, keys=made[:100])
    assert place.json("top", "--once", "--json", "kept/")["processes"][0]["keys"] is None
    assert "octuple_key" not in place.call("top", "--prometheus", "kept/").stdout


def test_reasons_of_handshakes(place, sleeper):
    """Why handshakes waited for nobody, by process, in each form; a file without them says nothing."""
    kept = Kept(place.work / "kept", sleeper)
    folder = f"{kept.folder}/"
    kept.keep({RSA: SOME[RSA]}, keys=stay_counters(300, 7, {0: 40, 3: 60}))
    said = "400 full handshakes, 300 waited for others, 7 resumed; alone 40, blocking 60\n"
    assert said in place.call("top", "--once", folder).stdout
    assert look(place, folder)[sleeper]["handshakes"] == {
        "full": 400, "paused": 300, "resumed": 7, "stayed": {"alone": 40, "blocking": 60}}
    text = place.call("top", "--prometheus", folder).stdout
    check_with_promtool(text)
    values = samples(text)
    label = {"pid": sleeper, "command": "made"}
    waited = {"others": 300, "alone": 40, "blocking": 60, "inside": 0}
    assert {name: of(values, "octuple_handshakes_total", waited=name, **label) for name in waited} == waited
    kept.keep({RSA: SOME[RSA]})
    assert "handshakes" not in place.call("top", "--once", folder).stdout
    assert "octuple_handshakes_total{" not in place.call("top", "--prometheus", folder).stdout


def test_hellos_that_waited(place, sleeper):
    """A histogram, and whose clients did not wait, in each form; a file without them says nothing."""
    kept = Kept(place.work / "kept", sleeper)
    folder = f"{kept.folder}/"
    kept.keep({RSA: SOME[RSA]}, keys=hello_counters(30, 4, 12345, [50, 0, 20, 10, 0, 15, 0, 0, 0, 0, 5]))
    said = "hellos waited 123 ms on average, 20 of 100 longer than 100 ms; 30 left, 4 turned away\n"
    assert said in place.call("top", "--once", folder).stdout
    hellos = look(place, folder)[sleeper]["hellos"]
    assert (hellos["gone"], hellos["refused"], hellos["milliseconds"]) == (30, 4, 12345)
    assert hellos["waited"]["500"] == 15 and hellos["waited"]["more"] == 5
    text = place.call("top", "--prometheus", folder).stdout
    check_with_promtool(text)
    values = samples(text)
    label = {"pid": sleeper, "command": "made"}
    assert of(values, "octuple_hellos_gone_total", **label) == 30
    assert of(values, "octuple_hellos_refused_total", **label) == 4
    buckets = {"0.010": 50, "0.050": 70, "0.100": 80, "0.250": 80, "0.500": 95, "10.000": 95, "+Inf": 100}
    assert {le: of(values, "octuple_hello_wait_seconds_bucket", le=le, **label) for le in buckets} == buckets
    assert of(values, "octuple_hello_wait_seconds_sum", **label) == 12.345
    assert of(values, "octuple_hello_wait_seconds_count", **label) == 100
    kept.keep({RSA: SOME[RSA]})
    assert "hellos waited" not in place.call("top", "--once", folder).stdout
    assert "octuple_hello_wait_seconds_bucket" not in place.call("top", "--prometheus", folder).stdout


def test_prometheus_of_a_file(place, sleeper):
    """Names that need care, all threads, and a process that has ended, which is left out."""
    kept = Kept(place.work / "kept", sleeper)
    kept.keep(SOME,
              [(OTHERS, 0, {X25519: {"fallback": 5}}), (ALIVE, 41, {RSA: {"done": 70}}),
               (ENDED, 42, {RSA: {"done": 20}})])
    with subprocess.Popen(["true"]) as ended:
        pass
    odd = content(ended.pid, SOME, command=b'a"\\\n\xff')
    (kept.folder / f"{ended.pid}.octuple").write_bytes(odd)
    text = place.call("top", "--prometheus", "--threads", "kept/").stdout
    check_with_promtool(text)
    values = samples(text)
    label = {"pid": sleeper, "command": "made"}
    assert of(values, "octuple_jobs_done_total", op="rsa2048-private", thread=42, **label) == 20
    assert of(values, "octuple_operations_fallback_total", op="x25519-derive", thread="others", **label) == 5
    assert values["octuple_processes", frozenset()] == 1
    assert not any(("pid", str(ended.pid)) in labels for _, labels in values)
    kept.folder.joinpath(f"{sleeper}.octuple").write_bytes(
        odd.replace(ended.pid.to_bytes(8, "little"), sleeper.to_bytes(8, "little"), 1))
    assert place.json("top", "--once", "--json", "kept/")["processes"][0]["command"] == 'a"\\??'


def test_command_of_any_name_is_a_label(place, sleeper):
    kept = Kept(place.work / "kept", sleeper)
    kept.keep(SOME)
    data = (kept.folder / f"{sleeper}.octuple").read_bytes().replace(b"made\0", b'"\\x \n', 1)
    (kept.folder / f"{sleeper}.octuple").write_bytes(data)
    text = place.call("top", "--prometheus", "kept/").stdout
    check_with_promtool(text)
    assert of(samples(text), "octuple_jobs_done_total", pid=sleeper, command='"\\x ?', op="rsa2048-private") == 90


def test_file_for_the_collector(place, sleeper):
    kept, out = Kept(place.work / "kept", sleeper), place.work / "out.prom"
    kept.keep(SOME)
    place.write("out.prom", "old")
    result = place.call("top", "--prometheus", "--output", out, "kept/")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert out.stat().st_mode & 0o777 == 0o644 and samples(out.read_text())["octuple_processes", frozenset()] == 1
    assert [path.name for path in place.work.iterdir() if "out" in path.name] == ["out.prom"]
    assert place.call("top", "--prometheus", "--output", out, "999999999").returncode == 1
    assert samples(out.read_text())["octuple_processes", frozenset()] == 0
    result = place.call("top", "--prometheus", "--output", "no/such", "kept/")
    assert result.returncode == 1 and "cannot write no/such: No such file" in result.stderr


@pytest.mark.parametrize("target, says", [
    ("999999999", "there is no process 999999999"), ("no-such-name", "no process has the name 'no-such-name'"),
    ("no-such/", "cannot read no-such/: No such file"), ("./", "there are no counters in ./"),
    ("older/", "of another version of Octuple"), ("cut/", "somebody has shortened the files in cut/")])
def test_what_there_is_not(place, target, says):
    older = place.work / "older"
    older.mkdir(0o755)
    (older / "5.octuple").write_bytes(content(5, SOME, magic=MAGIC - (1 << 56)))
    (older / "6.octuple").write_bytes(b"short")
    (older / "7.octuple").write_bytes(content(7, SOME, magic=1))
    (place.work / "cut").mkdir(0o755)
    (place.work / "cut/999999999.octuple").write_bytes(content(999999999, SOME)[:5000])
    for form in ([], ["--once", "--json"], ["--prometheus"]):
        result = place.call("top", *form, target)
        assert result.returncode == 1 and says in result.stderr, result
        assert ("octuple_processes 0" in result.stdout) == (form == ["--prometheus"])


def test_process_without_octuple(place, sleeper):
    result = place.call("top", sleeper, **as_root())
    assert result.returncode == 1 and f"{sleeper} is not under Octuple" in result.stderr and not result.stdout


def test_process_of_somebody_else(place, sleeper):
    if not place.as_root:
        pytest.skip("only root can be somebody else")
    result = place.call("top", sleeper)
    said = f"looking into {sleeper} is not permitted: ask as its user or as root"
    assert result.returncode == 1 and said in result.stderr


def test_output_that_cannot_be_written(place, sleeper):
    Kept(place.work / "kept", sleeper).keep(SOME)
    with open("/dev/full", "w", encoding="ascii") as full:
        result = place.call("top", "--interval", "0.1", "kept/", stdout=full)
    assert result.returncode == 1 and "cannot write the output" in result.stderr
