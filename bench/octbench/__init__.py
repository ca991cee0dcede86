# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Experiments on whole servers: an unmodified nginx as it is and under Octuple, loaded in turns."""
