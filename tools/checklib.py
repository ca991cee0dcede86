# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What the check tools share: reading C without its comments, finding the source files, and reporting.

Every tool prints one line for each finding, `file:line: what is wrong`, then one line that says what was looked at,
and ends with status 1 if there was a finding: a run that looked at nothing is a finding too.
"""
import os
import re
import sys
from pathlib import Path

C_SUFFIXES = {".c", ".h", ".def", ".inc"}

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)


def default_root():
    return Path(__file__).resolve().parent.parent


def strip_comments(text, keep_strings=True):
    """The text with comments (and, if asked, the insides of strings) turned into blanks; line numbers stay."""

    def blank(match):
        token = match.group(0)
        if token[0] in "\"'":
            return token if keep_strings else token[0] + " " * (len(token) - 2) + token[0]
        return re.sub(r"[^\n]", " ", token)

    return _TOKEN.sub(blank, text)


def join_continued(text):
    """Lines that end in a backslash are joined, with as many empty lines after them, so that numbers stay."""
    out, pending, extra = [], "", 0
    for line in text.split("\n"):
        if line.endswith("\\"):
            pending += line[:-1] + " "
            extra += 1
            continue
        out.append(pending + line)
        out.extend([""] * extra)
        pending, extra = "", 0
    return "\n".join(out + ([pending] if pending else []))


def c_files(root, folders):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in C_SUFFIXES and path.is_file():
                yield path


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def hold_table(report, path, name, marks, table, write, how):
    """The text between two lines of a file is that of the table, or becomes it."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    before, begin, rest = text.partition(marks[0] + "\n")
    _, end, after = rest.partition("\n" + marks[1])
    if not begin or not end:
        return report.add(name, f"has no place for the table, between {marks[0]} and {marks[1]}")
    wanted = before + begin + table + end + after
    if text == wanted:
        return None
    if write:
        return path.write_text(wanted, encoding="utf-8")
    return report.add(name, f"its table is not that of {how}")


class Report:
    def __init__(self, tool):
        self.tool = tool
        self.findings = []

    def add(self, where, what):
        self.findings.append(f"{where}: {what}")

    def end(self, looked_at, count):
        """Prints everything; count is how many things were looked at."""
        if count == 0:
            self.add(self.tool, f"nothing to look at ({looked_at})")
        for finding in self.findings:
            print(finding)
        print(f"{self.tool}: {looked_at}: {len(self.findings)} findings")
        sys.stdout.flush()
        return 1 if self.findings else 0


def source_files(root):
    """All files that people write, by folder, without what a build or a tool leaves behind."""
    skip = {".git", "build", "__pycache__", ".pytest_cache", ".cache", "demo-report"}
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in skip)
        for name in sorted(files):
            yield Path(folder) / name
