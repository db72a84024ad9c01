-- The transactions that have written in the last hour. A process whose connection is lost in the middle of a commit finds
-- out here what became of it: it inserts the id once more, which waits until the lost transaction has ended, and sees who
-- has inserted it.
CREATE TABLE commits (
  -- Six bytes of Unix milliseconds, so that old rows are deleted in the order of the key, and ten random ones.
  id        bytea   PRIMARY KEY,
  -- Whether the row was inserted by whoever asked. The transaction can then no longer be committed.
  is_undone boolean NOT NULL
);
