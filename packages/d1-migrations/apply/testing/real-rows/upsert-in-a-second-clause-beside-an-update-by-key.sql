-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE setting (key TEXT PRIMARY KEY, code TEXT UNIQUE, value TEXT);
-- rows
INSERT INTO setting VALUES ('theme','t','dark'),('limit','l','007');
-- change
INSERT INTO setting VALUES ('beta','l','1') ON CONFLICT (key) DO NOTHING ON CONFLICT (code) DO UPDATE SET value = '0';
UPDATE setting SET value = 'light' WHERE key = 'theme';
