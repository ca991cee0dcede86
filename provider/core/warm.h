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

/* The application has brought a private key, which does `op` (-1: nothing that lanes do): before this process or its
 * parent forks, what children would each need for their first handshakes is made ready. */
void oct_warm_ask(int op);

/* Something of the key is made when it is first needed, or by `make` before a fork: a process that never has two
 * operations at once does without. To be called by who makes the key, while it is unshared. */
void oct_warm_put_off(struct oct_prov_key *key, void (*make)(void *key));
/* Its last reference is gone, or it has been made. */
void oct_warm_forget(struct oct_prov_key *key);

#endif
