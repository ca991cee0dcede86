/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The whole public API of Octuple. queue.h has the operations that a queue runs. */
#ifndef OCTUPLE_OCTUPLE_H
#define OCTUPLE_OCTUPLE_H
#include <octuple/aead.h>
#include <octuple/counters.h>
#include <octuple/flat.h>
#include <octuple/queue.h>
#include <octuple/quic.h>
#include <octuple/sm2.h>
#include <octuple/sm4.h>
#endif
