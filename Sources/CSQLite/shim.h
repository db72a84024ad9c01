#pragma once
#include <sqlite3.h>

/// sqlite3_config takes arguments of any number and kind, which Swift cannot pass.
static inline int csqlite_disable_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
