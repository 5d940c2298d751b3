-- Harm: no
-- Lint: tried
-- Up: sends
-- before
CREATE TABLE meter (id INTEGER PRIMARY KEY, jan INTEGER, feb INTEGER, mar INTEGER);
-- rows
INSERT INTO meter VALUES (1, 5, 6, 5), (2, NULL, 7, 7), (3, 5, NULL, NULL);
-- change
CREATE TABLE reading (meter INTEGER, month INTEGER, v INTEGER, PRIMARY KEY (meter, month)); INSERT INTO reading SELECT id, 1, jan FROM meter WHERE jan IS NOT NULL UNION ALL SELECT id, 2, feb FROM meter WHERE feb IS NOT NULL UNION ALL SELECT id, 3, mar FROM meter WHERE mar IS NOT NULL; ALTER TABLE meter DROP COLUMN jan; ALTER TABLE meter DROP COLUMN feb; ALTER TABLE meter DROP COLUMN mar;
