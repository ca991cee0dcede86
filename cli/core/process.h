/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Processes, as /proc shows them.
 */
#ifndef OCT_CLI_PROCESS_H
#define OCT_CLI_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define PROCESS_MAX 4096

/* /proc/PID/WHAT; NULL with errno. */
FILE *process_open(pid_t pid, const char *what);

/* The whole file, with an empty string behind it; NULL without memory or permission. To be freed. */
char *process_read(pid_t pid, const char *what, size_t *size);

/* All processes but this one. Returns how many were stored, at most `room`. */
unsigned process_all(pid_t *pids, unsigned room);

/* The process itself and its descendants, but not this process: who asks in a shell about that shell does not mean us.
 * Returns how many were stored, at most `room`; 0 if there is no such process. */
unsigned process_tree(pid_t root, pid_t *pids, unsigned room);

/* The number if a word of the command line is one that a process may have; 0 if it is a name. */
pid_t process_as_pid(const char *word);

/* 1 if the process's program, or what it calls itself, has this name. */
bool process_has_name(pid_t pid, const char *name);

/* Those of this name which none of the others of it has started. Returns how many were stored, at most `room`. */
unsigned process_named(const char *name, pid_t *pids, unsigned room);

/* The pid that the process itself sees, in a container. */
uint64_t process_inner_pid(pid_t pid);

/* When it began, in ticks since the machine did; 0 if there is no such process, or nothing but what it left (a
 * zombie). */
uint64_t process_start_ticks(pid_t pid);

#endif
