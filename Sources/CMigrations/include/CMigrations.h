#pragma once

// The files of the folder Migrations, as they were when this was compiled.

struct cmigration {
  // Without `.sql`; NULL after the last one of a list.
  const char *name;
  const char *sql;
};

extern const struct cmigration *const cmigrations_sqlite;
extern const struct cmigration *const cmigrations_postgresql;
