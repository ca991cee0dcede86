# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/run plan`: how many handshakes machines make, and how few workers to set so that lanes fill (docs/fleet.md)."""
