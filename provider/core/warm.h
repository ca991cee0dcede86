/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Servers with a process for each connection. There each child would make at its one handshake what a process makes
 * once: known-answer tests and the private context, milliseconds in all. So a child that takes over a private key tells
 * its parent, in memory that both share, and the parent does all that before it forks again.
 */
#ifndef OCT_PROVIDER_WARM_H
#define OCT_PROVIDER_WARM_H

struct oct_prov;

/* For the provider of the application's context, which is loaded and about to go. */
void oct_warm_begin(struct oct_prov *prov);
void oct_warm_end(struct oct_prov *prov);

/* This process has a private key for `op` (-1: for nothing that lanes do). */
void oct_warm_ask(int op);

/* Runs the known-answer tests of `op`, and of what handshakes need besides. */
void oct_warm_tests(struct oct_prov *prov, int op);

#endif
