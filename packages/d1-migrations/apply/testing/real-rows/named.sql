-- Harm: no
-- Lint: tried
-- Up: sends
-- before
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT);
-- rows
INSERT INTO setting VALUES ('theme','dark'),('x','y');
-- change
UPDATE setting SET value = 'light' WHERE key = 'theme';
