-- Tells this storage from others: each of its backups names it, and no server removes the backups of another storage.
CREATE TABLE storage_identity (
  id TEXT NOT NULL
);

INSERT INTO storage_identity (id) VALUES (lower(hex(randomblob(8))));
