# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""That the comparison finds what differs, and refuses to compare OpenSSL with itself."""
import pytest

from lab import ROOT
from tests.places.openssl import __main__ as command, verdicts
from tests.places.openssl.programs import NOTHING, Run
from tests.places.openssl.sides import Result

TAP = """\
1..2
    # Subtest: test_keys
    1..3
    ok 1 - iteration 1
    not ok 2 - iteration 2
    ok 3 - iteration 3 # skipped
not ok 1 - test_keys
ok 2 - test_one
"""
EVP = """\
    # INFO:  @ ../test/evp_test.c:3556
    # /some/place/evppkey_rsa.txt:257: Succeeded but was expecting KEYOP_ERROR
    # Completed 149 tests with 1 errors and 4 skipped
"""


def result(stdout="", stderr="", end="exit 0", operations=0):
    return Result(stdout, stderr, end, operations)


PLAIN, RUN, EVP_RUN = TAP.replace("not ok", "ok"), Run("a", "atest"), Run("evp_test a.txt", "evp_test")


def test_cases_of_tap():
    assert verdicts.tap_cases(TAP) == {
        "test_keys: 1 - iteration 1": "ok", "test_keys: 2 - iteration 2": "not ok",
        "test_keys: 3 - iteration 3": "skipped",
        "1 - test_keys": "not ok", "2 - test_one": "ok"}


def test_cases_of_evp_test():
    cases = verdicts.cases_of(EVP_RUN, result(stderr=EVP))
    assert cases == {"line 257": "Succeeded but was expecting KEYOP_ERROR", "tests": "149", "skipped": "4"}
    assert verdicts.count(EVP_RUN, cases) == 149


def test_equal_sides_do_not_differ():
    assert verdicts.compare(RUN, result(TAP, end="exit 1"), result(TAP, end="exit 1")) == []


def test_a_case_that_fails_is_found_and_explains_the_exit():
    found = verdicts.compare(RUN, result(PLAIN), result(TAP, end="exit 1"))
    assert [one.case for one in found] == ["test_keys: 2 - iteration 2", "1 - test_keys"]


def test_a_case_that_is_skipped_is_found():
    found = verdicts.compare(RUN, result(PLAIN), result(PLAIN.replace("test_one", "test_one # skipped")))
    assert [(one.case, one.ours) for one in found] == [("2 - test_one", "skipped")]


@pytest.mark.parametrize("end", ["exit 1", "signal 11", "timeout"])
def test_another_end_is_found(end):
    assert [one.case for one in verdicts.compare(RUN, result(PLAIN), result(PLAIN, end=end))] == ["end"]


def test_a_crash_is_not_explained_by_a_case():
    assert "end" in [one.case for one in verdicts.compare(RUN, result(PLAIN), result(TAP, end="signal 11"))]


def test_cases_that_did_not_run_are_found():
    found = verdicts.compare(RUN, result(PLAIN), result("1..2\n", end="signal 6"))
    assert [one.ours for one in found] == ["did not run"] * 5 + ["signal 6"]


def test_evp_test_that_stops_early_is_found():
    short = result(stderr=EVP.replace("149", "12"))
    assert [one.case for one in verdicts.compare(EVP_RUN, result(stderr=EVP), short)] == ["tests"]


FAULTS = [(dict(stock=result(PLAIN, end="exit 1")), "does not pass"), (dict(cases=0), "no case"),
          (dict(stock=result(PLAIN, operations=1)), "without being asked"),
          (dict(ours=result(PLAIN)), "single operation"),
          (dict(ours=result(PLAIN, "object 'a' cannot be preloaded", operations=1)), "not preloaded"),
          (dict(run=Run("a", "a", proof="kdf:A kdf:B")), "not served by the provider: kdf:B")]


@pytest.mark.parametrize("change,words", FAULTS)
def test_a_comparison_of_nothing_is_a_fault(change, words):
    usual = dict(run=RUN, stock=result(PLAIN), ours=result(PLAIN, operations=1), served={"kdf:A": {"octuple"}}, cases=5)
    assert command.fault_of(**usual) == ""
    assert words in command.fault_of(**{**usual, **change})


def test_a_test_of_other_things_needs_no_operation():
    assert command.fault_of(Run("a", "a", proof=NOTHING), result(PLAIN), result(PLAIN), {}, 5) == ""


def judged(rows, differences, fault=""):
    """What the whole comes to, and the same words as on the terminal."""
    outcome = command.Outcome(RUN, 5, 1, differences, fault)
    verdicts.excuse(differences, rows)
    return command.report([outcome], rows,
                          command.sides.Side("octuple", command.source.Tree("3.0.1", ROOT, ROOT), None))


def test_only_wanted_differences_pass(capsys):
    row, other = verdicts.Wanted("3.0", "a", "1 - b", "why"), verdicts.Wanted("3.0", "not run", "1 - b", "why")
    difference = verdicts.Difference("a", "1 - b", "ok", "not ok")
    assert judged([], []) == 0
    assert judged([], [difference]) == 1
    assert judged([row, other], [difference]) == 0
    assert capsys.readouterr().out.endswith("1 passed, 0 failed\n")
    assert judged([], [], fault="nothing was compared") == 1


def test_a_stale_row_fails(capsys):
    assert judged([verdicts.Wanted("3.0", "a", "1 - b", "why")], []) == 1
    assert "stale: a, 1 - b" in capsys.readouterr().out


def test_the_list_can_be_read():
    rows = verdicts.read_wanted(command.WANTED, "3.0")
    assert rows and all(row.reason for row in rows)
