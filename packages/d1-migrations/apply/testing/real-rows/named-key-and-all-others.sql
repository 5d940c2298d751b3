-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT);
-- rows
INSERT INTO setting VALUES ('theme','dark'),('css',hex(zeroblob(1000))),('x','y');
-- change
UPDATE setting SET value = CASE key WHEN 'theme' THEN 'light' ELSE substr(value,1,1000) END;
