# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
import importlib.machinery
import importlib.util
import sys

import pytest
from tests.tools.conftest import ROOT, run_tool

DOCUMENT = "docs/internals/architecture.md"


@pytest.fixture(scope="session")
def layers():
    """The tool as a module: its name has no suffix."""
    sys.path.insert(0, str(ROOT / "tools"))
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("check_layers", str(ROOT / "tools/check-layers"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_layers", loader))
    sys.modules["check_layers"] = module
    loader.exec_module(module)
    return module


@pytest.fixture
def house(tree, layers):
    """A small tree that keeps all rules."""
    tree.write(DOCUMENT, f"Before.\n\n{layers.BEGIN}{layers.table()}{layers.END}\nAfter.\n", header=False)
    tree.write("include/octuple/status.h", "#include <stdint.h>\n")
    tree.write("src/base/base.h", "#include <stddef.h>\n")
    tree.write("src/vec/vec.h", '#include "base/base.h"\n')
    tree.write("src/vec/vec_avx512.h", "#include <immintrin.h>\n")
    tree.write("src/kernels/k.h", '#include "base/base.h"\n')
    tree.write("src/kernels/k.c", '#define LIMBS 20\n#include "kernels/k.h"\n#include "vec/vec.h"\n')
    tree.write("src/ops/ops.h", '#include "kernels/k.h"\n#include <octuple/status.h>\n')
    tree.write("src/api/rsa.h", '#include "ops/ops.h"\n')
    tree.write("src/batch/queue.c", '#include "api/rsa.h"\n')
    tree.write("provider/init.c", "#include <openssl/core.h>\n#include <octuple/status.h>\n")
    tree.write("provider/core/key.h", '#include "base/base.h"\n')
    tree.write("provider/async/task.h", '#include "provider/core/key.h"\n')
    tree.write("provider/ec/ec.h", '#include "provider/async/task.h"\n')
    tree.write("cli/core/cli.h", "#include <octuple/status.h>\n")
    tree.write("src/base/settings.h", '#include "base.h"\n')
    tree.write("cli/core/settings.h", '#include "src/base/settings.h"\n')
    tree.write("cli/info/info.h", '#include "cli/core/cli.h"\n')
    tree.write("cli/main.c", '#include "cli/core/cli.h"\n#include "cli/info/info.h"\n')
    return tree


def test_a_tree_that_keeps_the_rules(house):
    result = run_tool("check-layers", "--root", house.path)
    assert result.status == 0, result.out


def test_nothing_to_look_at(tmp_path):
    assert run_tool("check-layers", "--root", tmp_path).finds("nothing to look at")


PLANTED = [
    ("src/base/a.h", '#include "vec/vec.h"', "src/base includes vec/vec.h"),
    ("src/cpu/a.c", '#include "vec/vec.h"', "src/cpu includes"),
    ("src/kernels/a.c", '#include "ops/ops.h"', "src/kernels includes"),
    ("src/kernels/a.c", "#include <immintrin.h>", "outside src/vec"),
    ("src/api/a.c", "#include <x86intrin.h>", "outside src/vec"),
    ("src/kernels/a.c", "#include <stdlib.h>", "may not include <stdlib.h>"),
    ("src/kernels/a.c", "#include <openssl/evp.h>", "may not include <openssl/evp.h>"),
    ("src/kernels/a.c", "#include <octuple/status.h>", "may not include <octuple/status.h>"),
    ("src/kernels/a.c", "void *f(void) { return malloc(8); }", "malloc in a kernel"),
    ("src/kernels/a.c", "#if defined(__AVX512F__)\n#endif", "__AVX512F__"),
    ("src/kernels/a.c", "#if 1 && \\\n  defined(__AVX512IFMA__)\n#endif", "__AVX512IFMA__"),
    ("src/kernels/a.c", "#ifdef OCT_BACKEND_C\n#endif", "OCT_BACKEND_C"),
    ("src/kernels/a.c", "__m512i x;", "__m512i in a kernel"),
    ("src/kernels/a.c", 'void f(void) { __asm__("nop"); }', "__asm__ in a kernel"),
    ("src/api/a.c", '#include "batch/queue.c"', "src/api includes"),
    ("src/api/a.c", '#include "kernels/k.h"', "src/api includes"),
    ("src/batch/a.c", '#include "ops/ops.h"', "src/batch includes"),
    ("src/batch/a.c", "#include <openssl/async.h>", "may not include"),
    ("provider/a.c", '#include "api/rsa.h"', "provider includes"),
    ("provider/a.c", "#include <openssl/engine.h>", "may not include"),
    ("provider/a.c", '#include "../src/api/rsa.h"', "provider includes"),
    ("provider/rsa/a.c", '#include "provider/ec/ec.h"', "provider/rsa includes"),
    ("provider/core/a.c", '#include "provider/async/task.h"', "provider/core includes"),
    ("provider/rsa/a.c", '#include "../core/key.h"', "leaves its room"),
    ("cli/top/a.c", '#include "base/base.h"', "cli/top includes"),
    ("cli/top/a.c", '#include "cli/info/info.h"', "cli/top includes"),
    ("cli/top/a.c", '#include "../core/cli.h"', 'leaves its room by ".."'),
    ("cli/top/a.c", "#include <openssl/evp.h>", "may not include"),
    ("cli/core/a.c", '#include "cli/info/info.h"', "cli/core includes"),
    ("cli/core/a.c", '#include "base/base.h"', "cli/core includes"),
    ("cli/a.c", "int x;", "no room"),
    ("cli/new/a.c", "int x;", "no room"),
    ("include/octuple/a.h", "#include <openssl/rsa.h>", "may not include"),
    ("src/api/a.c", '#include "nowhere.h"', "not in this tree"),
    ("src/api/a.c", "#include MACRO", "computed include"),
    ("src/new/a.c", "int x;", "no room"),
]


@pytest.mark.parametrize("name,text,said", PLANTED)
def test_planted(house, name, text, said):
    house.write(name, text + "\n")
    result = run_tool("check-layers", "--root", house.path)
    assert result.finds(name, said), result.out


def test_comments_and_strings_are_no_includes(house):
    house.write("src/kernels/a.c", '/* #include <stdlib.h>\nmalloc() */\n// free()\nconst char *s = "malloc";\n')
    result = run_tool("check-layers", "--root", house.path)
    assert result.status == 0, result.out


def test_the_table_has_a_row_for_each_room():
    printed = run_tool("check-layers", "--table").out
    assert "| `src/base/` | assertion, " in printed and "| `provider/*/` | any other folder" in printed
    assert "| `cli/main.c` | the table of the commands | cli/core, cli/info, " in printed
    assert {line.count("|") for line in printed.splitlines()} == {4} and printed in (ROOT / DOCUMENT).read_text()


@pytest.mark.parametrize("old,new", [("marks for secrets", "marks"), ("| base, vec |", "| base |"),
                                     ("| `shim/` |", "| `shims/` |"), ("|---|", "|--|")])
def test_planted_table(house, old, new):
    path = house.path / DOCUMENT
    good = path.read_text(encoding="utf-8")
    assert old in good
    path.write_text(good.replace(old, new, 1), encoding="utf-8")
    assert run_tool("check-layers", "--root", house.path).finds(DOCUMENT, "not that of the rooms")
    assert run_tool("check-layers", "--root", house.path, "--fix").status == 0
    assert path.read_text(encoding="utf-8") == good


@pytest.mark.parametrize("option", [(), ("--fix",)])
@pytest.mark.parametrize("marker", ["BEGIN", "END"])
def test_a_document_without_markers(house, layers, marker, option):
    path = house.path / DOCUMENT
    path.write_text(path.read_text(encoding="utf-8").replace(getattr(layers, marker), ""), encoding="utf-8")
    assert run_tool("check-layers", "--root", house.path, *option).finds(DOCUMENT, "marker lines are missing")


def findings(layers, root, rooms, monkeypatch):
    monkeypatch.setattr(layers, "ROOMS", rooms)
    checked = layers.Layers(root)
    checked.check_rooms()
    return checked.report.findings


def test_a_room_that_says_nothing(house, layers, monkeypatch):
    rooms = layers.ROOMS | {"src/new": layers.Room(())}
    assert findings(layers, house.path, rooms, monkeypatch) == ["src/new: ROOMS does not say what lives there"]


def test_a_room_that_uses_one_below_it(house, layers, monkeypatch):
    rooms = {"src/new": layers.Room(("src/base",), holds="things")} | layers.ROOMS
    assert findings(layers, house.path, rooms, monkeypatch) == ["src/new: src/base does not stand above it in ROOMS"]


def shim(house, calls_up):
    """One function in each room, and as many calls that run back up as there are files below."""
    house.write("shim/events/fds.c", "int oct_fd(void)\n{\n    return 0;\n}\n")
    for i in range(calls_up):
        house.write(f"shim/handshake/a{i}.c", f"int oct_a{i}(void)\n{{\n    return oct_fd();\n}}\n")
    house.write("shim/keys/keys.c", "int oct_k(void)\n{\n    return oct_fd();\n}\n")
    return run_tool("check-layers", "--root", house.path)


def test_arrows_that_run_back_up_are_counted(house):
    assert shim(house, 20).status == 0
    found = shim(house, 21)
    assert found.status == 1 and "21 arrows run back up, more than 20" in found.out
    listed = run_tool("check-layers", "--root", house.path, "--arrows").out.splitlines()
    assert len(listed) == 21 and listed[0] == "shim/handshake/a0.c -> shim/events/fds.c: oct_fd"


def test_a_room_without_a_place_in_the_order(house):
    house.write("shim/cellar/a.c", "int oct_c(void)\n{\n    return 0;\n}\n")
    found = shim(house, 0)
    assert found.status == 1 and "cellar: no place in the order" in found.out


def test_keys_have_one_door(house):
    house.write("shim/keys/keys.h", "")
    house.write("shim/keys/remote.h", '#include "keys/keys.h"\n')
    house.write("shim/events/a.c", '#include "keys/keys.h"\n')
    assert shim(house, 0).status == 0
    house.write("shim/events/b.c", '#include "keys/remote.h"\n')
    found = shim(house, 0)
    assert found.status == 1 and "is not for others: they use keys.h there" in found.out
