# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""How plans are drawn: weights, percentages, and the form of a rule."""

from __future__ import annotations

import random

Words = dict[str, str]


class Draw(random.Random):
    def one(self, **weights: int) -> str:
        return self.choices(list(weights), list(weights.values()))[0].replace("_", "-")

    def often(self, percent: int) -> bool:
        return self.random() * 100 < percent


def rule(point: str, act: str, mod: int, rest: int, amount: int = 0, times: int = 0) -> str:
    return f"at={point}:{act}:{mod}:{rest}:{amount}:{times}"
