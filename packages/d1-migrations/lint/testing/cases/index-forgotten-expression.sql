-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE seat (id TEXT PRIMARY KEY NOT NULL, a INTEGER NOT NULL, b TEXT UNIQUE);
CREATE INDEX seat_a ON seat (lower(b));
-- rows
INSERT INTO seat VALUES ('s1', 1, 'Front'), ('s2', 2, 'Rear');
-- change
CREATE TABLE __new_seat (id TEXT PRIMARY KEY NOT NULL, a INTEGER NOT NULL, b TEXT UNIQUE);
INSERT INTO __new_seat SELECT * FROM seat;
DROP TABLE seat;
ALTER TABLE __new_seat RENAME TO seat;
