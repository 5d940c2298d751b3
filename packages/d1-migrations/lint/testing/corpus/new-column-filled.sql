-- A new column is filled in every row
-- Seen: hand-written
-- On D1: keeps
-- Lint: nothing
-- before
CREATE TABLE note (id TEXT PRIMARY KEY, at INTEGER);
-- change
ALTER TABLE note ADD COLUMN day INTEGER;
UPDATE note SET day = at / 86400;
