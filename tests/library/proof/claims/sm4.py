# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Claims of SM4 (GB/T 32907-2016): bits of blocks as sums of unknown bits.

An unknown is a bit of an input, or of the inverse of a byte in AES's field: equal bytes have equal inverses. A bit is a
number whose bit 0 is a constant and whose bit i says whether unknown i is in the sum; a byte is eight of these, the
lowest first, and a block sixteen bytes in the order of memory.
"""
from algebra import Unproved
from claims.common import need


def product(a, b, polynomial):
    r = 0
    for i in range(8):
        if b >> i & 1:
            r ^= a << i
    for i in range(14, 7, -1):
        if r >> i & 1:
            r ^= polynomial << i - 8
    return r


def inverse_of(x, polynomial):
    return next((y for y in range(256) if product(x, y, polynomial) == 1), 0)


def mapped(rows, byte):
    """An 8x8 matrix as GF2P8AFFINEQB has it: bit i of the result by byte 7-i."""
    return [sum_of(byte[j] for j in range(8) if rows >> 8 * (7 - i) + j & 1) for i in range(8)]


def sum_of(bits):
    r = 0
    for bit in bits:
        r ^= bit
    return r


def number(x):
    return [x >> i & 1 for i in range(8)]


def value(byte):
    return sum(bit << i for i, bit in enumerate(byte))


# The S-box is A(I(A(x) + d3)) + d3, I the inverse modulo x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1, A a circulant matrix.
def box(x):
    def affine(y):
        return sum((bin((0xA7 << i | 0xA7 >> 8 - i) & 0xFF & y).count("1") & 1) << i for i in range(8)) ^ 0xD3
    return affine(inverse_of(affine(x), 0x1F5))


# Bytes as rounds have them are ENTER of what they are, and the S-box is by an inverse in AES's field.
ENTER, ENTER_ADD, BOX, BOX_ADD = 0x242842865A99ABE6, 0x8E, 0x2F09380BA6746587, 0xD3


def box_by_inverse():
    inverses = [inverse_of(x, 0x11B) for x in range(256)]
    for x in range(256):
        entered = value(mapped(ENTER, number(x))) ^ ENTER_ADD
        need(value(mapped(BOX, number(inverses[entered]))) ^ BOX_ADD == box(x), "the S-box by an inverse")
    # Of the standard's table: the first number, its example, and the last.
    need((box(0), box(0xEF), box(0xFF)) == (0xD6, 0x84, 0x48), "the S-box")


class Bits:
    def __init__(self):
        self.unknown, self.known = 1, {}

    def byte(self, *name):
        if name not in self.known:
            self.known[name] = [1 << self.unknown + i for i in range(8)]
            self.unknown += 8
        return self.known[name]

    def word(self, *name):
        return [self.byte(*name, j) for j in range(4)]

    def block(self, *name):
        return [self.byte(*name, j) for j in range(16)]

    def inverse(self, byte):
        return self.byte("inverse", *byte)

    def substituted(self, byte):
        return plus(mapped(BOX, self.inverse(plus(mapped(ENTER, byte), number(ENTER_ADD)))), number(BOX_ADD))


def plus(a, b):
    return [x ^ y for x, y in zip(a, b)]


def xor(a, b):
    return [plus(x, y) for x, y in zip(a, b)]


def rotated(word, n):
    """A big-endian word, to the left."""
    bits = [bit for byte in reversed(word) for bit in byte]
    bits = bits[-n:] + bits[:-n]
    return [bits[8 * (3 - j):8 * (4 - j)] for j in range(4)]


def standard(bits, block, key):
    """GB/T 32907, 7.1."""
    x = [block[4 * i:4 * i + 4] for i in range(4)]
    for k in key:
        b = [bits.substituted(byte) for byte in xor(xor(x[1], x[2]), xor(x[3], k))]
        for n in 2, 10, 18, 24:
            x[0] = xor(x[0], rotated(b, n))
        x = [*x[1:], xor(x[0], b)]
    return x[3] + x[2] + x[1] + x[0]


# A round key as memory has it: entered, with a constant of the S-box's, and with what words come to by others.
def stored(word, i):
    share = ((i + 1) // 4 + (i + 2) // 4 + (i + 3) // 4) & 1
    add = ENTER_ADD ^ (value(mapped(ENTER, number(0xD3 << 2 & 0xFF | 0xD3 >> 6))) if share else 0)
    return [plus(mapped(ENTER, byte), number(add)) for byte in word]


def run(bits, lines, inputs):
    """A record's outputs; inputs by name, else they are unknown."""
    blocks, outputs = [], {}
    for line in lines:
        what, *rest = line.split()
        a, b, c, k = (int(i) for i in rest)
        if what.startswith("output:"):
            outputs.setdefault(what.split(":")[1], []).append(blocks[a])
            continue
        if what.startswith("input:"):
            _, name, i = what.split(":")
            blocks.append(inputs[name][int(i)] if name in inputs else bits.block(name, int(i)))
            continue
        x = blocks[a] if what != "block_word" else None
        words = lambda x: [x[i:i + 4] for i in range(0, 16, 4)]
        if what == "block_word":
            blocks.append(inputs["key"][k] * 4)
        elif what == "block_xor":
            blocks.append(xor(x, blocks[b]))
        elif what == "block_map":
            blocks.append([mapped(k, byte) for byte in x])
        elif what == "block_inverse":
            blocks.append([mapped(k, bits.inverse(byte)) for byte in x])
        elif what == "block_turn":
            blocks.append([byte for w in words(x) for byte in w[k:] + w[:k]])
        elif what == "block_column":
            rows = [words(blocks[i]) for i in (a, b, c, k // 4)]
            blocks.append([byte for row in rows for byte in row[k % 4]])
        else:
            raise Unproved(f"{what} is not known")
    return outputs


def sm4(name, lines):
    bits = Bits()
    if name == "turn":
        got = run(bits, lines, {})["column"]
        for i, column in enumerate(got):
            key = lambda t: bits.block("key", 8 * t + i // 4)[i % 4 * 4:][:4]
            need(column == key(0) + key(1) + key(2) + key(0), f"the keys of round {i}")
        return "the keys of each round side by side; the first one where there are no more"
    box_by_inverse()
    # Under keys of their own the blocks of a set have one each.
    apart = name.startswith("columns")
    keys = [[bits.word("rk", t, i) for i in range(32)] for t in range(4 if apart else 1)]
    inputs = {"key": [stored(word, i) for i, word in enumerate(keys[0])]}
    if apart:
        inputs["column"] = [[byte for key in keys for byte in stored(key[i], i)] for i in range(32)]
    got = run(bits, lines, inputs)["r"]
    for i, block in enumerate(got):
        key = keys[i % len(keys)]
        want = standard(bits, bits.block("x", i), key[::-1] if name.endswith("back") else key)
        need(block == want, f"block {i}")
    return f"{len(got)} blocks {'decrypted' if name.endswith('back') else 'encrypted'} by the standard's 32 rounds"
