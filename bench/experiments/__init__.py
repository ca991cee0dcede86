# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The experiments, in the order in which `all` runs them and the results page shows them."""

from .allocators import Allocators
from .alone import Alone
from .curve import Curves
from .dnssec import Dnssec
from .files import Bulk, Mixed
from .go import Go
from .handshakes import Handshakes
from .http3 import Http3
from .java import Java
from .latency import Latency
from .libraries import Libraries
from .memory import Memory
from .operations.by_openssl import ByOpenssl
from .operations.by_table import ByTable
from .operations.openssl_speed import OpensslSpeed
from .operations.page_pairs import PagePairs
from .operations.peers import Peers
from .operations.records import Records
from .operations.threads import Threads
from .other_servers import Servers
from .signers import Signers
from .storm import Storm

ALL = {experiment.name: experiment for experiment in
       (OpensslSpeed(), Handshakes(), Alone(), Latency(), Records(), Mixed(), Bulk(), Curves(), Threads(), Servers(),
        PagePairs(), Peers(), ByTable(), ByOpenssl(), Dnssec(), Signers(), Http3(), Memory(), Go(), Java(),
        Libraries(), Allocators(), Storm())}
