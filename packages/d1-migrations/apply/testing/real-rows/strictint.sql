-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, v REAL);
-- rows
INSERT INTO n VALUES (1, 1.5),(2, 2.0);
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, v INTEGER); INSERT INTO m SELECT id, CAST(v AS INTEGER) FROM n; DROP TABLE n; ALTER TABLE m RENAME TO n;
