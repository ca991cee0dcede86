# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The experiments, in the order in which `all` runs them and the results page shows them."""

from .alone import Alone
from .by_openssl import ByOpenssl
from .by_table import ByTable
from .curve import Curves
from .dnssec import Dnssec
from .files import Bulk, Mixed
from .go import Go
from .handshakes import Handshakes
from .http3 import Http3
from .java import Java
from .latency import Latency
from .memory import Memory
from .openssl_speed import OpensslSpeed
from .other_servers import Servers
from .page_pairs import PagePairs
from .peers import Peers
from .records import Records
from .signers import Signers
from .threads import Threads

ALL = {experiment.name: experiment for experiment in
       (OpensslSpeed(), Handshakes(), Alone(), Latency(), Records(), Mixed(), Bulk(), Curves(), Threads(), Servers(),
        PagePairs(), Peers(), ByTable(), ByOpenssl(), Dnssec(), Signers(), Http3(), Memory(), Go(), Java())}
