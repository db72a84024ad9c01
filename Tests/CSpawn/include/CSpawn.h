#pragma once
#include <spawn.h>

// What Swift does not see of spawn.h: extensions of glibc's, 2.29 and 2.34.

int cspawn_change_folder(posix_spawn_file_actions_t *actions, const char *path);

// Closes every descriptor from this one on.
int cspawn_close_from(posix_spawn_file_actions_t *actions, int first);
