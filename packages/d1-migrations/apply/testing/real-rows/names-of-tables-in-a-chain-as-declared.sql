-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE log (id INTEGER PRIMARY KEY, v TEXT); CREATE TABLE log_old (id INTEGER PRIMARY KEY, v TEXT);
-- rows
INSERT INTO log VALUES (1, 'a1'), (2, 'a2'); INSERT INTO log_old VALUES (1, 'b1'), (4, 'b2');
-- change
-- d1:moves log to log_old: what is new begins on an empty page
-- d1:moves log_old to log_older: what is new begins on an empty page
ALTER TABLE log_old RENAME TO log_older; ALTER TABLE log RENAME TO log_old; CREATE TABLE log (id INTEGER PRIMARY KEY, v TEXT);
