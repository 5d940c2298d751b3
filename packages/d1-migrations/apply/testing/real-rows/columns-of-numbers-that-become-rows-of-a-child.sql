-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE meter (id INTEGER PRIMARY KEY, jan INTEGER, feb INTEGER, mar INTEGER);
-- rows
INSERT INTO meter VALUES (1, 5, 6, 5), (2, NULL, 7, 7), (3, 5, NULL, NULL);
-- change
-- d1:moves meter.jan to reading.v: decided in the ticket
-- d1:moves meter.feb to reading.v: decided in the ticket
-- d1:moves meter.mar to reading.v: decided in the ticket
CREATE TABLE reading (meter INTEGER, month INTEGER, v INTEGER, PRIMARY KEY (meter, month)); INSERT INTO reading SELECT id, 1, jan FROM meter WHERE jan IS NOT NULL UNION ALL SELECT id, 2, feb FROM meter WHERE feb IS NOT NULL UNION ALL SELECT id, 3, mar FROM meter WHERE mar IS NOT NULL; ALTER TABLE meter DROP COLUMN jan; ALTER TABLE meter DROP COLUMN feb; ALTER TABLE meter DROP COLUMN mar;
