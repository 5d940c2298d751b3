-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE trip (id INTEGER PRIMARY KEY, start TEXT, finish TEXT);
-- rows
INSERT INTO trip VALUES (1, 'Bonn', 'Rome'), (2, 'Ulm', 'a town with a name that is far too long for all rows that are made up here');
-- change
CREATE TABLE stop (trip INTEGER, kind TEXT, town TEXT, PRIMARY KEY (trip, kind)); INSERT INTO stop SELECT id, 'start', start FROM trip WHERE start IS NOT NULL; INSERT INTO stop SELECT id, 'finish', substr(finish, 1, 60) FROM trip WHERE finish IS NOT NULL; ALTER TABLE trip DROP COLUMN start; ALTER TABLE trip DROP COLUMN finish;
