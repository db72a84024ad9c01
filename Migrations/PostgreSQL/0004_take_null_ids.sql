-- Lets one INSERT take rows that have ids and rows that have none: as in SQLite, NULL stands for the next id.
CREATE FUNCTION take_null_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.id := nextval(CAST(TG_TABLE_NAME || '_id_seq' AS regclass));
  RETURN NEW;
END
$$;

CREATE TRIGGER take_null_id BEFORE INSERT ON users
  FOR EACH ROW WHEN (NEW.id IS NULL) EXECUTE FUNCTION take_null_id();
CREATE TRIGGER take_null_id BEFORE INSERT ON photos
  FOR EACH ROW WHEN (NEW.id IS NULL) EXECUTE FUNCTION take_null_id();
CREATE TRIGGER take_null_id BEFORE INSERT ON notes
  FOR EACH ROW WHEN (NEW.id IS NULL) EXECUTE FUNCTION take_null_id();
CREATE TRIGGER take_null_id BEFORE INSERT ON microblog_users
  FOR EACH ROW WHEN (NEW.id IS NULL) EXECUTE FUNCTION take_null_id();
CREATE TRIGGER take_null_id BEFORE INSERT ON blogposts
  FOR EACH ROW WHEN (NEW.id IS NULL) EXECUTE FUNCTION take_null_id();
