-- UPDATE without a condition
-- Seen: hand-written
-- On D1: keeps
-- Lint: error changed-values
-- before
CREATE TABLE note (id TEXT PRIMARY KEY, at INTEGER);
-- change
UPDATE note SET at = at * 1000;
