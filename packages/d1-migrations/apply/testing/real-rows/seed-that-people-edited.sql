-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT); INSERT INTO setting VALUES ('smtp','none'),('theme','light');
-- rows
UPDATE setting SET value = 'secret' WHERE key = 'smtp';
-- change
DELETE FROM setting WHERE key = 'smtp';
