# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Follows data through the machine code of a kernel, to show that no branch and no address depends on it.

The rule is simple and errs on the side of a finding. Public is what a kernel's caller passes in registers, what
stands in the struct that the first argument of an exported kernel points to (pointers and counts: the law of kernels'
arguments; kernels of whole records have none), constants, and what is computed from these. Data is everything else that
was read from memory, except a stack slot into which the function itself has just put something public (a spilled loop
counter), and everything that came out of a vector or mask register. A finding is:

  - a conditional jump on flags that were set by data,
  - a memory access whose address was computed from data,
  - data handed to a function of the C library as an address or a length.

Data may flow through calls inside the object: what a callee gets is joined over all its callers. What remains trusted:
that a store through a pointer does not hit a spill slot (slots at or above any address that the function took of its
own stack are given up at such a store, and at a call), and objdump's reading of the instructions.
"""
import functools
import re

from isacode import (ARGUMENTS, CLOBBERED, CONDITIONAL, NO_RETURN, WIDTHS, constant_part, is_low_byte, memory, register,
                     vector)
from isastate import CANARY, PUBLIC_STRUCT, Entry

_COPIES = {"mov", "movzx", "movsx", "movsxd", "movabs", "movbe", "bswap"}
# dst = dst op sources, and the flags with it
_ARITHMETIC = {"add", "sub", "and", "or", "xor", "shl", "sal", "shr", "sar", "rol", "ror", "inc", "dec", "neg",
               "imul", "adc", "sbb", "shld", "shrd", "btr", "bts", "btc"}
# dst = op(sources)
_PURE = {"andn", "bzhi", "shlx", "shrx", "sarx", "rorx", "blsr", "blsi", "blsmsk", "bextr", "popcnt", "lzcnt", "tzcnt",
         "bsf", "bsr", "pext", "pdep", "not"}
_COMPARES = {"cmp", "test", "bt"}
# Exported kernels whose first argument is a key.
_RECORDS = re.compile(r"(gcm|poly1305)_(seal|open|open_first)$")
_NOTHING = {"nop", "nopw", "nopl", "endbr64", "vzeroupper", "vzeroall", "pause", "cdqe", "cwde", "xchg_nop", "emms"}
_MOVE = re.compile(r"^v?mov[dq]$|^v?mov[ad]q?[au]p?[sd]?(32|64)?$|^vmovdq[au](32|64)$")
_FLAGS_OF_VECTORS = re.compile(r"v?u?comis|v?ptest$|vtestp|kortest|ktest")


# Most instructions occur many times: what their texts say is read once.
@functools.cache
def _kind(m):
    """Which method of FunctionFlow follows an instruction of this mnemonic, None if it does nothing."""
    if m in _NOTHING or m.startswith(("nop", "prefetch")):
        return None
    if hasattr(FunctionFlow, "on_" + m):
        return getattr(FunctionFlow, "on_" + m)
    if CONDITIONAL.match(m):
        return FunctionFlow.conditional
    for names, method in ((_COPIES, FunctionFlow.copy_value), (_COMPARES, FunctionFlow.compare),
                          (_ARITHMETIC, FunctionFlow.arithmetic), (_PURE, FunctionFlow.pure)):
        if m in names:
            return method
    if _MOVE.match(m):
        return FunctionFlow.move
    for start, method in (("set", FunctionFlow.set_byte), ("cmov", FunctionFlow.move_if),
                          (("rep", "stos", "movs", "cmps", "scas", "lods"), FunctionFlow.string)):
        if m.startswith(start):
            return method
    return FunctionFlow.other


@functools.cache
def _sets_flags(m):
    """Of vector and mask instructions, and anything unknown."""
    return not m.startswith(("v", "k")) or _FLAGS_OF_VECTORS.match(m) is not None


@functools.cache
def _jumps_on(m):
    return CONDITIONAL.match(m) is not None


@functools.cache
def _split_address(expression):
    """(registers, constant, has an index with a factor, is rip-relative)"""
    names, offset, scaled = [], 0, False
    for sign, part in re.findall(r"([+-]?)([^+-]+)", expression.replace(" ", "")):
        base = part.split("*")[0]
        if base == "rip":
            return [], 0, False, True
        if base in WIDTHS:
            names.append(WIDTHS[base][0])
            scaled = scaled or "*" in part
        elif vector(base) is not None:
            names.append(base)      # the index of a gather: one address for each lane, from data
        elif base not in ("riz", "eiz"):
            offset += int(part, 16) * (-1 if sign == "-" else 1)
    return names, offset, scaled, False


class FunctionFlow:
    """One function, with what its callers hand it and what its callees return."""

    def __init__(self, function, known, returns_data, clobbers, entry):
        self.function = function
        self.known = known                  # names of functions whose code is at hand
        self.returns_data = returns_data    # name -> whether its result is data
        self.clobbers = clobbers            # name -> registers that a call of it changes: compilers look into callees
        self.entry = entry
        self.calls = {}                     # callee -> what all calls of it here have in common
        self.findings = {}                  # address -> text
        self.result_is_data = False
        self.index = {i.address: n for n, i in enumerate(function.instructions)}

    # --- operands

    def address_parts(self, state, expression):
        """(register names, place or None, is rip-relative)"""
        names, offset, scaled, rip = _split_address(expression)
        if rip:
            return [], None, True
        place = None
        if any(state.frame.get(n) == PUBLIC_STRUCT for n in names):
            return names, PUBLIC_STRUCT, False
        if len(names) == 1 and not scaled and names[0] in state.frame:
            region, base = state.frame[names[0]]
            place = (region, base + offset)
        return names, place, False

    def check_address(self, state, instruction, operand):
        size, expression = memory(operand)
        names, place, rip = self.address_parts(state, expression)
        for name in names:
            if state.data.get(name, True):
                self.findings[instruction.address] = f"an address from data ({name}): {instruction.text}"
        return size, names, place, rip

    def read(self, state, instruction, operand):
        """Whether a source operand is data."""
        if memory(operand):
            size, _, place, rip = self.check_address(state, instruction, operand)
            if rip or "fs:" in operand:     # a constant of the program; the stack protector's canary
                return False
            if place is None:
                return True
            if place == PUBLIC_STRUCT:
                return False
            if place[0] == "entry" and place[1] >= 8:
                return False    # arguments beyond the sixth
            return not (place in state.slots and size <= state.slots[place][0])
        reg = register(operand)
        if reg:
            return state.data[reg[0]] and not (is_low_byte(operand) and reg[0] in state.low)
        vec = vector(operand)
        if vec is not None:
            return vec not in state.parked
        return operand.startswith(("k", "mm", "st"))

    def write(self, state, instruction, operand, data, frame=None):
        if memory(operand):
            return self.store(state, instruction, operand, data, frame)
        reg = register(operand)
        if reg:
            name, width = reg
            if is_low_byte(operand):
                state.set_low(name, data)
            else:
                state.set_register(name, data or (width < 4 and state.data[name]))
            state.frame.pop(name, None)
            if frame and width == 8:
                state.frame[name] = frame
        elif vector(operand) is not None:
            state.parked.pop(vector(operand), None)
        return None

    def store(self, state, instruction, operand, data, frame=None):
        size, names, place, _ = self.check_address(state, instruction, operand)
        if place == PUBLIC_STRUCT:
            self.findings[instruction.address] = f"a store into the public arguments: {instruction.text}"
            return
        if place is not None:
            region, offset = place
            length = size or 64
            state.slots = {s: v for s, v in state.slots.items()
                           if s[0] != region or s[1] + v[0] <= offset or s[1] >= offset + length}
            if not data and size in (1, 2, 4, 8):
                state.slots[place] = (size, frame)
            return
        # An index into an array of this frame: it starts at the constant part, or a little below (a folded bias).
        based = [state.frame[n] for n in names if n in state.frame]
        for region, offset in based:
            self.give_up(state, region, offset + constant_part(operand) - 128)
        if not based:
            self.give_up_exposed(state)

    @staticmethod
    def give_up(state, region, low):
        state.slots = {s: v for s, v in state.slots.items() if s[0] != region or s[1] + v[0] <= low}

    def give_up_exposed(self, state):
        for region, low in state.exposed.items():
            self.give_up(state, region, low)

    @staticmethod
    def expose(state, place, name):
        if name not in ("rsp", "rbp") and place not in (PUBLIC_STRUCT, CANARY):
            region, offset = place
            state.exposed[region] = min(offset, state.exposed.get(region, offset))

    # --- instructions

    def step(self, state, instruction):
        method = _kind(instruction.mnemonic)
        if method:
            method(self, state, instruction, instruction.operands)

    def compare(self, state, instruction, ops):
        state.set_flags(any([self.read(state, instruction, o) for o in ops]) and not self.is_canary(state, ops))

    def pure(self, state, instruction, ops):
        data = any([self.read(state, instruction, o) for o in ops[1:] or ops])
        self.write(state, instruction, ops[0], data)
        if instruction.mnemonic not in ("not", "shlx", "shrx", "sarx", "rorx", "pext", "pdep"):
            state.set_flags(data)

    def move(self, state, instruction, ops):
        if len(ops) == 2 and "{" not in ops[0] and "ymm" not in ops[0] and "zmm" not in ops[0]:
            self.park(state, instruction, ops)
        else:
            self.other(state, instruction, ops)

    def set_byte(self, state, instruction, ops):
        self.write(state, instruction, ops[0], self.condition(state, instruction.mnemonic[3:]))

    def move_if(self, state, instruction, ops):
        data = self.condition(state, instruction.mnemonic[4:]) or any([self.read(state, instruction, o) for o in ops])
        both = {state.frame.get(register(o)[0]) if register(o) else None for o in ops}
        self.write(state, instruction, ops[0], data, PUBLIC_STRUCT if both == {PUBLIC_STRUCT} else None)

    def park(self, state, instruction, ops):
        """gcc keeps general registers in vector registers where it runs out of them, and loads there what belongs into
        such: what is public comes back public."""
        source = ops[1]
        data = self.read(state, instruction, source)
        reg, vec = register(source), vector(source)
        frame = state.frame.get(reg[0]) if reg else state.parked.get(vec)
        self.write(state, instruction, ops[0], data, frame)
        if vector(ops[0]) is not None and not data:
            state.parked[vector(ops[0])] = frame

    def other(self, state, instruction, ops):
        """Vector and mask instructions, and anything unknown: what they write into a general register is data."""
        for operand in ops[1:]:
            if memory(operand):
                self.check_address(state, instruction, operand)
        if ops:
            self.write(state, instruction, ops[0], True)
        if _sets_flags(instruction.mnemonic):
            state.set_flags(True)

    @staticmethod
    def condition(state, suffix):
        """Whether a condition (nz, ae, ...) is one on data."""
        carry = suffix in ("b", "nb", "ae", "nae", "c", "nc", "a", "na", "be", "nbe")
        return state.carry if suffix in ("b", "nb", "ae", "nae", "c", "nc") else state.flags or (carry and state.carry)

    def copy_value(self, state, instruction, ops):
        source = ops[1] if len(ops) > 1 else ops[0]
        data = self.read(state, instruction, source)
        reg = register(source)
        if "fs:0x28" in source:
            frame = CANARY
        elif memory(source):
            _, frame = state.slots.get(self.address_parts(state, memory(source)[1])[1], (0, None))
        else:
            frame = state.frame.get(reg[0]) if reg and reg[1] == 8 else None
        if frame:
            target = register(ops[0])
            self.expose(state, frame, target[0] if target else "memory")
        self.write(state, instruction, ops[0], data, frame)

    def on_lea(self, state, instruction, ops):
        names, place, _ = self.address_parts(state, memory(ops[1])[1])
        target = register(ops[0])[0]
        for name in names:
            if name in state.frame and not (place and target in ("rsp", "rbp")):
                region, offset = state.frame[name]
                self.expose(state, place or (region, offset - 128), target)
        self.write(state, instruction, ops[0], any(state.data.get(n, True) for n in names), place)

    def arithmetic(self, state, instruction, ops):
        m, first = instruction.mnemonic, register(ops[0])
        if m in ("xor", "sub", "sbb") and len(ops) == 2 and first and register(ops[1]) == first:
            data = m == "sbb" and state.carry
            state.set_flags(data)
            return self.write(state, instruction, ops[0], data)
        sources = ops[1:] if len(ops) == 3 else ops
        data = any([self.read(state, instruction, o) for o in sources]) and not self.is_canary(state, ops)
        if m in ("adc", "sbb"):
            data = data or state.carry
        if m == "imul" and len(ops) == 1:
            return self.on_mul(state, instruction, ops)
        frame = None
        if first and first[0] in state.frame and len(ops) == 2:
            frame = self.moved_frame(state, instruction, m, state.frame[first[0]], ops[1], first[0])
        elif m == "add" and register(ops[1]) and state.frame.get(register(ops[1])[0]) == PUBLIC_STRUCT:
            frame = PUBLIC_STRUCT       # an offset, plus the address of the arguments
        self.write(state, instruction, ops[0], data, frame)
        state.flags = data
        if m not in ("inc", "dec"):
            state.carry = data
        return None

    @staticmethod
    def is_canary(state, ops):
        """The stack protector compares: what it compares is no data of ours."""
        return any("fs:0x28" in o or (register(o) and state.frame.get(register(o)[0]) == CANARY) for o in ops)

    def moved_frame(self, state, instruction, m, place, operand, name):
        if place == PUBLIC_STRUCT:
            return place
        region, offset = place
        if re.match(r"^(0x)?[0-9a-f]+$", operand) and m in ("add", "sub"):
            value = int(operand, 16)
            value -= (1 << 64) if value >> 63 else 0
            return (region, offset + (value if m == "add" else -value))
        if m == "and" and name == "rsp":
            return (f"aligned@{instruction.address:x}", 0)
        self.expose(state, (region, offset - 128), name)
        return None

    def on_push(self, state, instruction, ops):
        data = self.read(state, instruction, ops[0])
        region, offset = state.frame.get("rsp", ("lost", 0))
        state.frame["rsp"] = (region, offset - 8)
        state.slots.pop((region, offset - 8), None)
        if not data:
            reg = register(ops[0])
            state.slots[region, offset - 8] = (8, state.frame.get(reg[0]) if reg and reg[0] != "rsp" else None)

    def on_pop(self, state, instruction, ops):
        region, offset = state.frame.get("rsp", ("lost", 0))
        place = (region, offset)
        self.write(state, instruction, ops[0], place not in state.slots, state.slots.get(place, (0, None))[1])
        state.frame["rsp"] = (region, offset + 8)

    def on_leave(self, state, instruction, ops):
        region, offset = state.frame.get("rbp", ("lost", 0))
        state.frame["rsp"] = (region, offset)
        self.on_pop(state, instruction, ["rbp"])

    def on_xchg(self, state, instruction, ops):
        data = [self.read(state, instruction, o) for o in ops]
        self.write(state, instruction, ops[0], data[1])
        self.write(state, instruction, ops[1], data[0])

    def on_mul(self, state, instruction, ops):
        data = self.read(state, instruction, ops[0]) or state.data["rax"]
        for name in ("rax", "rdx"):
            state.set_register(name, data)
            state.frame.pop(name, None)
        state.set_flags(data)

    def on_mulx(self, state, instruction, ops):
        data = self.read(state, instruction, ops[2]) or state.data["rdx"]
        self.write(state, instruction, ops[0], data)
        self.write(state, instruction, ops[1], data)

    def on_cqo(self, state, instruction, ops):
        state.set_register("rdx", state.data["rax"])

    on_cdq = on_cqo

    def string(self, state, instruction, _ops):
        for name in ("rcx", "rsi", "rdi"):
            if state.data[name] and (name != "rsi" or "stos" not in instruction.text):
                self.findings[instruction.address] = f"a string instruction on data ({name}): {instruction.text}"
        self.give_up_exposed(state)

    def conditional(self, state, instruction, _ops):
        m = instruction.mnemonic
        if re.match(r"^(j[re]?cxz|loop)", m):
            data = state.data["rcx"] or (state.flags and m.startswith("loop") and m != "loop")
        else:
            data = self.condition(state, m[1:])
        if data:
            self.findings[instruction.address] = f"a branch on data: {instruction.text}"

    def on_call(self, state, instruction, ops):
        name = self.callee(instruction)
        held = Entry(frozenset(r for r in ARGUMENTS if state.data[r]),
                     frozenset(r for r in ARGUMENTS if state.frame.get(r) == PUBLIC_STRUCT))
        result = True
        if name in self.known:
            self.calls[name] = self.calls[name].join(held) if name in self.calls else held
            result = self.returns_data.get(name, False)
        elif name and re.match(r"^(mem(cpy|set|move)|oct_cleanse)", name):
            used = {"oct_cleanse": ("rdi", "rsi"), "memset": ("rdi", "rdx")}.get(name, ("rdi", "rsi", "rdx"))
            for r in used:
                if state.data[r]:
                    self.findings[instruction.address] = f"data ({r}) is an address or a length of {name}()"
            result = state.data["rdi"]
        for r in self.clobbers.get(name, CLOBBERED):
            if r in state.data:
                state.set_register(r, True)
                state.frame.pop(r, None)
            else:
                state.parked.pop(r, None)
        if name not in self.clobbers or "rax" in self.clobbers[name]:
            state.set_register("rax", result)
        state.set_flags(True)
        self.give_up_exposed(state)

    def callee(self, instruction):
        return (instruction.symbol or "").split("@")[0]

    # --- the walk

    def successors(self, position):
        instruction = self.function.instructions[position]
        m = instruction.mnemonic
        if m in ("ret", "ud2", "hlt") or (m == "call" and NO_RETURN.match(instruction.symbol or "")):
            return []
        here = [position + 1] if position + 1 < len(self.function.instructions) else []
        if m == "jmp":
            here = []
        if (m == "jmp" or _jumps_on(m)) and not instruction.symbol and instruction.target in self.index:
            here.append(self.index[instruction.target])
        return here

    def run(self):
        instructions = self.function.instructions
        if not instructions:
            return
        heads = {0} | {self.index[i.target] for i in instructions
                       if i.mnemonic != "call" and i.target in self.index and not i.symbol}
        states, todo = {0: self.entry.state()}, [0]
        while todo:
            position = todo.pop()
            state = states[position].copy()
            while True:
                instruction = instructions[position]
                tail = instruction.mnemonic == "jmp" and instruction.symbol and not instruction.symbol.startswith(".")
                if tail:
                    self.on_call(state, instruction, [])
                elif instruction.mnemonic != "jmp":
                    self.step(state, instruction)
                if instruction.mnemonic == "ret" or tail:
                    self.result_is_data = self.result_is_data or state.data["rax"]
                following = self.successors(position)
                if len(following) == 1 and following[0] == position + 1 and following[0] not in heads:
                    position = following[0]
                    continue
                for n in following:
                    if n not in states:
                        states[n] = state.copy()
                        todo.append(n)
                    elif states[n].join(state):
                        todo.append(n)
                break


# What an instruction says by these is asked once for all that are alike.
@functools.lru_cache(maxsize=1 << 17)
def _written(m, operands):
    """The registers that an instruction changes, vectors by number."""
    written = operands[:2] if m in ("mulx", "xchg") else operands[:1]
    if m in _COMPARES or m == "push":
        written = ()
    out = {register(o)[0] for o in written if register(o) and not memory(o)}
    out.update(vector(o) for o in written if vector(o) is not None)
    if m in ("mul", "cqo", "cdq", "cpuid", "rdtsc") or (m == "imul" and len(operands) == 1):
        out.update(("rax", "rdx", "rcx"))
    if m.startswith(("rep", "stos", "movs")):
        out.update(("rcx", "rsi", "rdi"))
    if m.startswith("vzero"):
        out.update(range(16))
    return frozenset(out)


def _clobbers(by_name):
    """The caller-saved registers that each function changes, itself or in what it calls."""
    out, callees = {}, {}
    for name, function in by_name.items():
        out[name] = set().union(*{_written(i.mnemonic, tuple(i.operands[:3])) for i in function.instructions})
        callees[name] = {i.symbol for i in function.instructions if i.symbol}
        if any(s not in by_name and not NO_RETURN.match(s) for s in callees[name]):
            out[name].update(CLOBBERED)
    changed = True
    while changed:
        changed = False
        for name in by_name:
            before = len(out[name])
            out[name].update(*(out.get(s, ()) for s in callees[name]))
            changed = changed or len(out[name]) > before
    return {name: registers & set(CLOBBERED) for name, registers in out.items()}


def flow(functions, exported):
    """Findings by function name. `exported` functions are called by other objects, with a public struct or, whole
    records, with all that is public in registers; the others by these alone, or not at all."""
    by_name = {f.name: f for f in functions}
    entry = {name: Entry(struct=frozenset() if _RECORDS.search(name) else frozenset(["rdi"]))
             for name in by_name if name in exported}
    returns_data = {name: False for name in by_name}
    clobbers, todo, results = _clobbers(by_name), set(entry), {}
    while todo:
        name = todo.pop()
        walk = FunctionFlow(by_name[name], by_name, returns_data, clobbers, entry[name])
        walk.run()
        results[name] = walk.findings
        for callee, held in walk.calls.items():
            joined = entry[callee].join(held) if callee in entry else held
            if callee not in exported and entry.get(callee) != joined:
                entry[callee] = joined
                todo.add(callee)
        if walk.result_is_data and not returns_data[name]:
            returns_data[name] = True
            todo.update(n for n in results if any(i.symbol == name for i in by_name[n].instructions))
    for name in sorted(set(by_name) - set(results)):
        if not name.endswith(".cold"):
            results[name] = {0: "no call of it was found, so it was not followed"}
    return results
