-- When the owner has disabled a user, who keeps everything but can use none of it; null for all others.
ALTER TABLE users ADD COLUMN disabled_at INTEGER;
