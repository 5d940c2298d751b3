-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, d TEXT, g TEXT AS (upper(d)) STORED);
-- rows
INSERT INTO n(id,d) VALUES (1,'q'),(2,hex(zeroblob(600)));
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, d TEXT, g TEXT AS (upper(d)) STORED); INSERT INTO m(id,d) SELECT id, iif(length(d) > 1000, '', d) FROM n; DROP TABLE n; ALTER TABLE m RENAME TO n;
