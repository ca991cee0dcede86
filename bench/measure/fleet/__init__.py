# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/fleet`: two servers behind a balancer with direct server return, in network namespaces (docs/fleet.md)."""
