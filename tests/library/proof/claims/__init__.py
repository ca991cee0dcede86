# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What each kernel step is meant to compute: one function for each family, of the name and the lines of a record."""
