-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT, at TEXT);
-- rows
INSERT INTO setting VALUES ('theme','dark','x'),('limit','007',NULL),('nul',NULL,NULL),('Empty','','');
-- change
-- d1:changes setting.value: decided in the ticket
INSERT OR IGNORE INTO setting (key, value) SELECT 'beta', '1'; UPDATE setting SET value = 'light' WHERE key = 'theme';
