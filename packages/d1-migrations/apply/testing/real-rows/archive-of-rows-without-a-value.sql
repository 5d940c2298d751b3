-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT, at TEXT);
-- rows
INSERT INTO setting VALUES ('theme','dark','x'),('limit','007',NULL),('nul',NULL,NULL),('Empty','','');
-- change
-- d1:moves setting to arch: decided in the ticket
CREATE TABLE arch (key TEXT PRIMARY KEY, value TEXT, at TEXT); INSERT INTO arch SELECT * FROM setting WHERE at IS NULL; DELETE FROM setting WHERE at IS NULL;
