# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Experiments without a server: operations and records, and who else computes them."""
