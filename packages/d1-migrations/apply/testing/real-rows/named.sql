-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT);
-- rows
INSERT INTO setting VALUES ('theme','dark'),('x','y');
-- change
-- d1:changes setting.value: decided in the ticket
UPDATE setting SET value = 'light' WHERE key = 'theme';
