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
    assert "| `cli/info/`, `cli/speed/`, " in printed  # rooms that are alike share one
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


def shim(house):
    """One function in each of two rooms."""
    house.write("shim/events/made.c", "int oct_made(void)\n{\n    return 0;\n}\n")
    house.write("shim/handshake/conn.h", "int oct_made(void);\nextern int oct_spare;\nstruct oct_made;\n")
    house.write("shim/keys/keys.c", "int oct_k(void)\n{\n    return oct_made();\n}\n")
    return run_tool("check-layers", "--root", house.path)


def test_a_call_of_the_shim_into_a_room_that_it_may_not_use(house):
    assert shim(house).status == 0
    house.write("shim/handshake/a.c", "int oct_a(void)\n{\n    return oct_made();\n}\n")
    found = shim(house)
    assert found.status == 1 and "a.c: calls oct_made of shim/events, which shim/handshake may not use" in found.out


def test_what_a_header_of_the_shim_names(house):
    house.write("shim/events/spare.c", "int oct_spare;\n")
    assert shim(house).finds("conn.h: calls oct_spare of shim/events")


def test_a_folder_of_the_shim_without_a_row(house):
    house.write("shim/cellar/a.c", "int oct_c(void)\n{\n    return 0;\n}\n")
    assert shim(house).finds("shim/cellar/a.c: this folder is no room")


def test_keys_have_one_door(house):
    house.write("shim/keys/keys.h", "")
    house.write("shim/keys/remote.h", '#include "keys/keys.h"\n')
    house.write("shim/start.c", '#include "keys/keys.h"\n')
    assert shim(house).status == 0
    house.write("shim/decide.c", '#include "keys/remote.h"\n')
    found = shim(house)
    assert found.status == 1 and "is not for others: they use keys.h there" in found.out
