#pragma once
#if !__has_include(<sqlite3.h>)
#error "SQLite's headers are missing. On Debian and Ubuntu: apt-get install libsqlite3-dev libssl-dev libcrypt-dev"
#endif
#include <sqlite3.h>

/// sqlite3_config and sqlite3_db_config take arguments of any number and kind, which Swift cannot pass.
static inline int csqlite_disable_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
static inline int csqlite_keep_log(sqlite3 *db) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
