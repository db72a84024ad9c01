-- What a storage remembers about its backups. One row.
CREATE TABLE backup_state (
  -- Tells this storage from copies of it that were restored elsewhere: a restore begins a new line. A server removes
  -- backups of its own line only.
  line TEXT NOT NULL,
  -- Unix milliseconds.
  line_began_at INTEGER NOT NULL,
  -- 1 once backups are in BACKUP_DIR, so that the folder's absence means that its disk is missing.
  has_folder INTEGER NOT NULL,
  -- The inode of the database's file then: a copy of the folder has another one.
  file INTEGER,
  -- When the last backup that lacks nothing was made, in Unix milliseconds.
  last_backup_at INTEGER
);

INSERT INTO backup_state (line, line_began_at, has_folder) VALUES (lower(hex(randomblob(8))), 0, 0);

-- The backups in BACKUP_DIR that this server makes, recorded before it makes them. It removes no others.
CREATE TABLE recorded_backups (
  name TEXT PRIMARY KEY
) WITHOUT ROWID;
