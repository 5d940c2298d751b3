-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT, at TEXT);
-- rows
INSERT INTO setting VALUES ('theme','dark','x'),('limit','007',NULL);
-- change
-- d1:moves setting to arch: decided in the ticket
-- d1:loses setting.at, at most 0 rows: what has none is in the archive
CREATE TABLE arch (key TEXT PRIMARY KEY, value TEXT); INSERT INTO arch SELECT key, value FROM setting WHERE at IS NULL; DELETE FROM setting WHERE at IS NULL;
