/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What handshakes need is made when it is first needed: known-answer tests, the private context, lane keys,
 * milliseconds in all. A server that forks its workers would have each make it, and one with a process for each
 * connection would do so for one handshake. So a process that has taken over a private key makes all that before it
 * forks. And it tells its parent, in memory that both share, which does so before it forks again.
 */
#ifndef OCT_PROVIDER_WARM_H
#define OCT_PROVIDER_WARM_H

struct oct_prov;
struct oct_prov_key;

/* For the provider of the application's context, which is loaded and about to go. */
void oct_warm_begin(struct oct_prov *prov);
void oct_warm_end(struct oct_prov *prov);

/* This process has a private key for `op` (-1: for nothing that lanes do). */
void oct_warm_ask(int op);

/* The key has put something off (key.h), which is made before a fork. */
void oct_warm_remember(struct oct_prov_key *key);
/* Its last reference is gone, or it has been made. */
void oct_warm_forget(struct oct_prov_key *key);

#endif
