-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE item (id TEXT PRIMARY KEY NOT NULL, a REAL, g TEXT GENERATED ALWAYS AS (coalesce(a, '') || id) STORED);
-- rows
INSERT INTO item (id, a) VALUES ('i1', NULL), ('i2', 2.5);
-- change
UPDATE item SET a = coalesce(a, 0);
