/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Folders for what `octuple run` writes. Each function returns a descriptor, or -1 with errno: EPERM where somebody
 * else could write there. path is the folder, or what was tried.
 */
#ifndef OCT_CLI_LAUNCH_FOLDER_H
#define OCT_CLI_LAUNCH_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define LAUNCH_FOLDERS_LASTING 4
#define LAUNCH_FOLDERS_SHARED  4

/* What is open belongs to us, is of this type (S_IFDIR, S_IFREG), and nobody else can write to it. */
bool launch_folder_is_ours(int fd, mode_t type);

/* A folder that was made for this user or service alone; errno 0 if there is no such. Best first, by `choice`. */
int launch_folder_lasting(char path[PATH_MAX], unsigned choice);

/* In a folder that all users share, one of ours from before that fits. */
int launch_folder_find(char path[PATH_MAX], unsigned choice, bool (*fits)(int folder, const void *arg),
                       const void *arg);

/* A new one there, under a name that nobody can foresee. */
int launch_folder_make(char path[PATH_MAX], unsigned choice);

#endif
