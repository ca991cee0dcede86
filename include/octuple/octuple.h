/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The whole public API of Octuple. */
#ifndef OCTUPLE_OCTUPLE_H
#define OCTUPLE_OCTUPLE_H
#include <octuple/aead.h>
#include <octuple/counters.h>
#include <octuple/ec.h>
#include <octuple/ed25519.h>
#include <octuple/hybrid.h>
#include <octuple/mldsa.h>
#include <octuple/mlkem.h>
#include <octuple/op.h>
#include <octuple/queue.h>
#include <octuple/quic.h>
#include <octuple/rsa.h>
#include <octuple/status.h>
#include <octuple/x25519.h>
#endif
