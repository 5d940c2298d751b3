-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT, at TEXT);
-- rows
INSERT INTO setting VALUES ('theme','dark','x'),('limit','007',NULL),('nul',NULL,NULL),('Empty','','');
-- change
CREATE TABLE arch (key TEXT PRIMARY KEY, value TEXT); INSERT INTO arch SELECT key, value FROM setting WHERE value IS NULL OR hex(value) = '6461726B'; DELETE FROM setting WHERE value IS NULL OR hex(value) = '6461726B';
