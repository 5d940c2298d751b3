-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE seat (id TEXT NOT NULL, a INTEGER NOT NULL, b TEXT, PRIMARY KEY (id, a));
CREATE INDEX seat_a ON seat (a);
-- rows
INSERT INTO seat VALUES ('s1', 1, 'Front'), ('s2', 2, 'Rear');
-- change
CREATE TABLE __new_seat (id TEXT NOT NULL, a INTEGER NOT NULL, b TEXT, PRIMARY KEY (id, a));
INSERT INTO __new_seat SELECT * FROM seat;
DROP TABLE seat;
ALTER TABLE __new_seat RENAME TO seat;
