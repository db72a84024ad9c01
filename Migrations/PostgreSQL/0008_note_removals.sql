-- When each photo was removed, so that a check finds the objects that no server has tried to delete. For those that were
-- removed before, this counts from now.
ALTER TABLE removed_photos ADD COLUMN removed_at bigint NOT NULL DEFAULT unix_milliseconds();
