# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Machine code as objdump shows it: functions, instructions, and what their operands are."""
import functools
import re
import subprocess
from dataclasses import dataclass, field

WIDTHS = {}
for _r in "abcd":
    WIDTHS.update({f"r{_r}x": (f"r{_r}x", 8), f"e{_r}x": (f"r{_r}x", 4), f"{_r}x": (f"r{_r}x", 2),
                    f"{_r}l": (f"r{_r}x", 1), f"{_r}h": (f"r{_r}x", 1)})
for _r in ("si", "di", "bp", "sp"):
    WIDTHS.update({f"r{_r}": (f"r{_r}", 8), f"e{_r}": (f"r{_r}", 4), _r: (f"r{_r}", 2), f"{_r}l": (f"r{_r}", 1)})
for _n in range(8, 16):
    WIDTHS.update({f"r{_n}": (f"r{_n}", 8), f"r{_n}d": (f"r{_n}", 4), f"r{_n}w": (f"r{_n}", 2),
                    f"r{_n}b": (f"r{_n}", 1)})
REGISTERS = sorted({full for full, _ in WIDTHS.values()})
ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
CALLER_SAVED = ARGUMENTS + ("rax", "r10", "r11")
NO_RETURN = re.compile(r"^(__stack_chk_fail|oct_assert_failed|abort|__assert_fail)\b")
CLOBBERED = CALLER_SAVED + tuple(range(32))     # vector registers by number

_MEMORY = re.compile(r"(?:(\w+) (?:PTR|BCST) )?(?:[cdefgs]s:)?(?:\w+ )?\[([^\]]*)\]")
_SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16, "YMMWORD": 32, "ZMMWORD": 64, "OWORD": 16}
CONDITIONAL = re.compile(r"^j(?!mp)\w+$|^loop\w*$")
_COMMA = re.compile(r",(?![^\[]*\])")
_COMMENT = re.compile(r"\s*#.*$")
_TARGET = re.compile(r"^([0-9a-f]+)(?: <(.*)>)?$")
_FUNCTION = re.compile(r"^([0-9a-f]+) <(.+)>:$")
_HEADER = re.compile(r"^[0-9a-f]+ <(.+)>:$", re.M)
_RELOCATION = re.compile(r"^\s*[0-9a-f]+:\s+R_X86_64_\w+\s+(\S+)")
_SECTION = re.compile(r"^Disassembly of section (\S+):")
_PREFIXES = {"rep", "repz", "repnz", "lock", "notrack", "bnd", "data16", "cs", "ds", "es", "{evex}", "{vex}", "{vex3}"}


@dataclass(slots=True)
class Instruction:
    address: int
    mnemonic: str
    operands: list
    target: int = None      # of a jump or call
    symbol: str = None      # the function that it goes to, where that is not the one it stands in
    text: str = ""
    related: str = None     # the symbol of its relocation


@dataclass
class Function:
    name: str
    section: str
    instructions: list = field(default_factory=list)


def split_operands(text):
    return [operand.strip() for operand in _COMMA.split(text)] if text.strip() else []


# Most instructions occur many times.
@functools.lru_cache(maxsize=1 << 17)
def _parse(text):
    """What an instruction has but its address."""
    text = _COMMENT.sub("", text)
    words = text.split(None, 1)
    while len(words) > 1 and words[0] in _PREFIXES:
        if words[0].startswith("rep"):
            break
        words = words[1].split(None, 1)
    mnemonic, rest = words[0], words[1] if len(words) > 1 else ""
    match = _TARGET.match(rest)
    if match and (mnemonic in ("call", "jmp") or CONDITIONAL.match(mnemonic)):
        return mnemonic, [], int(match.group(1), 16), match.group(2), text
    operands = split_operands(rest)
    if mnemonic == "xchg" and operands[0] == operands[1]:
        mnemonic, operands = "nop", []
    return mnemonic, operands, None, None, text


def listing(path):
    """What objdump writes of an object file or library."""
    return subprocess.run(["objdump", "-dr", "--no-show-raw-insn", "-M", "intel", str(path)], check=True,
                          capture_output=True, text=True).stdout


def split_listing(text):
    """(name, its lines) of each function of a listing."""
    parts = _HEADER.split(text)
    return zip(parts[1::2], parts[2::2])


def disassemble(path):
    """The functions of an object file or library, as objdump sees them."""
    return functions_of(listing(path))


def functions_of(text):
    """Those of a listing."""
    functions, section = [], ""
    for line in text.splitlines():
        # Most lines are instructions. Those of relocations begin with tabs, those of functions with zeros.
        if not line.startswith(("\t", "0", "D")):
            address, colon, text = line.partition(":\t")
            if colon and text and functions:
                functions[-1].instructions.append(Instruction(int(address, 16), *_parse(text.strip())))
            continue
        match = _FUNCTION.match(line)
        if match:
            functions.append(Function(match.group(2), section))
            continue
        match = _RELOCATION.match(line)
        if match and functions and functions[-1].instructions:
            functions[-1].instructions[-1].related = re.sub(r"[-+]0x[0-9a-f]+$", "", match.group(1))
            continue
        match = _SECTION.match(line)
        if match:
            section = match.group(1)
    for function in functions:
        _settle_targets(function)
    return functions


def _settle_targets(function):
    """A jump within the function has a target and no symbol; every other jump or call has a symbol."""
    own = {i.address for i in function.instructions}
    for i in function.instructions:
        if i.target is None:
            i.symbol = None
        elif i.related is not None:
            i.symbol = i.related
        elif i.mnemonic != "call" and i.target in own:
            i.symbol = None


@functools.cache
def memory(operand):
    """(size, expression) of a memory operand, else None."""
    match = _MEMORY.search(operand)
    return (_SIZES.get(match.group(1), 0), match.group(2)) if match else None


@functools.cache
def constant_part(operand):
    parts = re.findall(r"([+-]?)(0x[0-9a-f]+|\b\d+\b)(?![*])", memory(operand)[1])
    return sum(int(p, 16) * (-1 if s == "-" else 1) for s, p in parts)


@functools.cache
def register(operand):
    """(full name, width) of a general register, else None."""
    return WIDTHS.get(operand.split("{")[0].strip())


@functools.cache
def is_low_byte(operand):
    """Whether an operand is the lowest byte of a general register: al, not ah."""
    reg = register(operand)
    return reg is not None and reg[1] == 1 and not operand.endswith("h")


@functools.cache
def vector(operand):
    """The number of a vector register, else None."""
    match = re.match(r"^[xyz]mm(\d+)", operand)
    return int(match.group(1)) if match else None
