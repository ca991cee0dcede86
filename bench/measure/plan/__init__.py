# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/run plan`: how many handshakes machines make, and how few workers fill the lanes (docs/fleet.md)."""
