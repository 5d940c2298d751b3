-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE event (id INTEGER PRIMARY KEY, happened TEXT NOT NULL);
-- rows
INSERT INTO event VALUES (1, '2024-01-01 10:00:00');
-- change
CREATE TABLE e2 (id INTEGER PRIMARY KEY, happened TEXT NOT NULL, day TEXT NOT NULL, seconds INTEGER NOT NULL); INSERT INTO e2 SELECT id, happened, date(happened), strftime('%s', happened) FROM event; DROP TABLE event; ALTER TABLE e2 RENAME TO event;
