-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE trip (id INTEGER PRIMARY KEY, start TEXT, finish TEXT);
-- rows
INSERT INTO trip VALUES (1, 'Bonn', 'Rome'), (2, 'Ulm', 'Ulm'), (3, NULL, 'Oslo'), (4, NULL, NULL);
-- change
-- d1:moves trip.start to stop.town: decided in the ticket
-- d1:moves trip.finish to stop.town: decided in the ticket
CREATE TABLE stop (trip INTEGER, kind TEXT, town TEXT, PRIMARY KEY (trip, kind)); INSERT INTO stop SELECT id, 'start', start FROM trip WHERE start IS NOT NULL; INSERT INTO stop SELECT id, 'finish', finish FROM trip WHERE finish IS NOT NULL; ALTER TABLE trip DROP COLUMN start; ALTER TABLE trip DROP COLUMN finish;
