#pragma once
#include <stddef.h>

// The files of the pages for people, as they were when this was compiled. #embed costs the compiler nothing; an array
// literal in Swift costs it a second for each ten thousand bytes.

struct cpages_file {
  // The page that it belongs to; "shared" for what all have.
  const char *folder;
  const char *name;
  const unsigned char *bytes;
  size_t count;
};

extern const struct cpages_file *const cpages_files;
extern const size_t cpages_count;
