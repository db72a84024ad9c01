-- Tells this storage from others. It goes along when everything is moved to a folder, where backups name it.
CREATE TABLE storage_identity (
  id text NOT NULL
);

INSERT INTO storage_identity (id) VALUES (left(md5(CAST(gen_random_uuid() AS text)), 16));
