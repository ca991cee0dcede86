# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Figures in README.md and the documents are those of the data, or they are found."""

from __future__ import annotations

import json

import pytest

from octbench.experiments import figures, page

DATA = {"points": [
    {"key": {"handshake": "tls13-rsa2048", "jobs": 0},
     "metrics": {"CPU": {"median": {"stock": 1150.4, "octuple": 532.2}, "ratio": {"octuple": 2.094},
                         "quartiles": {"octuple": [2.03, 2.19]}}}},
    {"key": {"handshake": "tls13-p384", "jobs": 0},
     "metrics": {"CPU": {"median": {"stock": 5994.0, "octuple": 325.0}, "ratio": {"octuple": 16.91, "256": 1.04},
                         "quartiles": {"octuple": [15.98, 19.67]}}}},
    {"key": {"handshake": "tls13-rsa2048", "jobs": 1, "of": "steps"},
     "metrics": {"CPU": {"median": {"stock": 7.0}, "ratio": {"octuple": 7.0}}}}]}
LINK = "See [the data](docs/results/m/h.json)."
RSA, P384 = "tls13-rsa2048 / 0 | CPU |", "tls13-p384 / 0 | CPU |"


@pytest.fixture
def check(tmp_path):
    """Findings in a README.md of this text."""
    (tmp_path / "docs/results/m").mkdir(parents=True)
    (tmp_path / "docs/results/m/h.json").write_text(json.dumps(DATA))
    (tmp_path / "docs/results/earlier.md").write_text("| gcc | 1.90 |\nThe median\nwas 30.6 us.\n")

    def found(text, name="README.md"):
        (tmp_path / name).write_text(text)
        return figures.check(tmp_path / "docs")
    return found


def quoted(text, *lines, file="m/h.json"):
    return f"# Title\n\n{text} {LINK}\n\n<!-- figures: {file}\n" + "\n".join(lines) + "\n-->\n"


def test_the_documents_say_what_the_data_say():
    assert figures.check(page.DOCS) == []


def test_the_documents_quote_figures():
    """What the check reads is there: README.md alone quotes five kinds of handshakes."""
    spans = figures.spans((page.DOCS.parent / "README.md").read_text())
    assert sum(len(figures.lines_of(span.marker)[1]) for span in spans if span.marker) > 20


@pytest.mark.parametrize("text,place", [
    ("2.09 times", f"{RSA} ratio"), ("1,150 us", f"{RSA} stock"), ("532 us", f"{RSA} octuple"),
    ("2.1x", f"{RSA} ratio"),
    ("2.03 times", f"{RSA} low"), ("2.19 times", f"{RSA} high"), ("1.04 times", f"{P384} ratio 256"),
    ("half the CPU", f"{RSA} ratio"), ("a seventeenth of it", f"{P384} ratio"),
    ("16.91 times", "max * / 0 | * | ratio"),
    ("2.09 times", "min * / 0 | * | ratio"), ("5994 us", f"{P384} stock")])
def test_what_is_right(check, text, place):
    figure = text if text.startswith("a ") else text.split()[0].rstrip("x")
    figure = "a seventeenth" if text.startswith("a ") else figure
    assert check(quoted(f"It took {text}.", f"{figure} = {place}")) == []


@pytest.mark.parametrize("line,said", [
    (f"2.09 = {P384} ratio", "2.09 is 16.91 in m/h.json"), ("2.09 = tls13-p521 / 0 | CPU | ratio", "nothing stands at"),
    ("2.09 = tls13-rsa2048 | CPU | ratio", "nothing stands at"), ("2.09 = tls13-rsa2048 / 0 | GPU | ratio", "nothing"),
    (f"2.09 = {RSA} ratio 512", "'ratio 512' is nothing of a metric"), (f"2.09 = {RSA} mean", "'mean' is nothing of"),
    ("2.09 = * / 0 | CPU | ratio", "2 points stand at"), ("2.09 = tls13-rsa2048", "is not KEY | METRIC | FIELD"),
    ("2.09 tls13", "has neither ' = ' nor ' is '"),
    (f"2.08 = {RSA} ratio", "2.08 is in the comment, but not in the text")])
def test_planted_lines(check, line, said):
    assert any(said in finding for finding in check(quoted("It was 2.09 times as fast.", line)))


@pytest.mark.parametrize("text,line,said", [
    ("1,151 us", f"1,151 = {RSA} stock", "1,151 is 1,150"), ("2.1 times", f"2.1 = {P384} ratio", "2.1 is 16.9"),
    ("a fifth of it", f"a fifth = {P384} ratio", "a fifth is a seventeenth")])
def test_planted_rounding(check, text, line, said):
    assert check(quoted(f"It took {text}.", line)) == [f"README.md:3: {said} in m/h.json"]


def test_planted_file(check):
    assert "docs/results has no m/x.json" in check(quoted("It was 2.09 times as fast.", f"2.09 = {RSA} ratio",
                                                          file="m/x.json"))[-1]


def test_planted_link(check):
    text = quoted("It was 2.09 times as fast.", f"2.09 = {RSA} ratio")
    assert check(text.replace(LINK, "")) == ["README.md:1: no link to m/h.json in this section"]
    assert check(text.replace(LINK, "See [results](docs/results.md#here).")) == []
    assert check(f"# Other\n\n{LINK}\n\n"
                 + text.replace(LINK, "")) == ["README.md:5: no link to m/h.json in this section"]


@pytest.mark.parametrize("text,figure", [
    ("2.22x", "2.22"), ("1.6 times", "1.6"), ("12 ms", "12"), ("0.8 us", "0.8"), ("372 ns", "372"), ("4 %", "4"),
    ("500 MB/s", "500"), ("a seventh", "a seventh"), ("Two thirds", "Two thirds"), ("half of it", "half"),
    ("four times the price", "four"), ("twice as much", "twice"), ("a ratio of 0.97", "0.97"), ("3 to 7 ms", "3"),
    ("| 1.84 |", "1.84")])
@pytest.mark.parametrize("name", ["README.md", "docs/other.md"])
def test_what_looks_measured(check, name, text, figure):
    said = f"{name}:4: {figure} looks measured and no line of a figures comment accounts for it"
    assert said in check(f"# Title\n\nText.\nIt took {text} there.\n", name)
    assert said in check(f"# Title\n\nText.\nIt took {text} there. {LINK}\n<!-- figures: m/h.json\n-->\n", name)


@pytest.mark.parametrize("text", [
    "TLS 1.3 and OpenSSL 3.0.22", "127.0.0.1", "eight lanes of 64 bits", "RFC 9001, 5.4", "`2.22x`", "a third time",
    "half open", "```\n2.22x\n```", "Before:\n\n    12 ms\n", "<!-- 2.22x -->",
    "[Text](http://a/2.22x)", "comes five times",
    "20,000 handshakes", "512 KB", "Made by `a program`.\n\n2.22x"])
def test_what_does_not(check, text):
    assert check(f"# Title\n\n{text}\n") == []


def test_each_occurrence_has_a_line(check):
    line = f"2.09 = {RSA} ratio"
    assert check(quoted("It was 2.09 times here and 2.09 times there.", line, line)) == []
    assert len(check(quoted("It was 2.09 times here and 2.09 times there.", line))) == 1


def test_a_comment_reaches_back_to_the_one_before(check):
    second = quoted("Then 532 us.", f"532 = {RSA} octuple").partition("\n\n")[2]
    first = quoted("It was 2.09 times as fast.", f"2.09 = {RSA} ratio")
    assert check(first + "\n" + second) == []
    assert len(check(first + "\n3.5 times.\n\n" + second)) == 1
    assert len(check(first + "\n" + second + "\n3.5 times.\n")) == 1


def test_reasons(check):
    assert check("# Title\n\nIt allows 1 % of loss.\n<!-- figures: 1 % is what the relay loses -->\n") == []
    assert check("# Title\n\nOn nginx 1.22.\n<!-- figures:\n1.22 is a release of nginx\n-->\n") == []
    assert len(check("# Title\n\nIt allows 2 % of loss.\n<!-- figures: 1 % is what the relay loses -->\n")) == 2


@pytest.mark.parametrize("line,count", [("1.90 = | gcc | 1.90 |", 0), ("1.90 = | clang | 1.90 |", 1),
                                        ("1.90 = | gcc |", 1), ("1.90 = median was 30.6 us", 2)])
def test_earlier_figures(check, line, count):
    text = quoted("It was 1.90 times as fast.", line, file="earlier.md").replace("m/h.json)", "earlier.md)")
    assert len(check(text)) == min(count, 1)


def test_the_command_says_what_is_wrong(check, tmp_path, capsys):
    published = {"found": [], "not_found": []}
    (tmp_path / "docs/results/published.json").write_text(json.dumps(published))
    (tmp_path / "docs/results/m").joinpath("h.json").unlink()
    assert page.main(["--docs", str(tmp_path / "docs")]) == 0
    assert page.main(["--docs", str(tmp_path / "docs"), "--check"]) == 0
    (tmp_path / "README.md").write_text("# Title\n\nIt was 2.22x as fast.\n")
    assert page.main(["--docs", str(tmp_path / "docs"), "--check"]) == 1
    assert "bench/results: README.md:3: 2.22 looks measured" in capsys.readouterr().err
