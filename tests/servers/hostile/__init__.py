# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A hostile TLS client: kinds.py is the table of what it does, engine.py does it, compare.py holds two servers against
each other.

Needs tlslite-ng (library.py) before anything but library is imported.
"""
