-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, v TEXT);
-- rows
INSERT INTO n VALUES (1,'a'),(2,'b');
-- change
ALTER TABLE n ADD COLUMN uid TEXT; UPDATE n SET uid = lower(hex(randomblob(16))) WHERE uid IS NULL; CREATE UNIQUE INDEX nu ON n (uid);
