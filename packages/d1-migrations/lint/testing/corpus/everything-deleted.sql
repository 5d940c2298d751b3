-- DELETE without a condition
-- Seen: hand-written
-- On D1: loses
-- Lint: error lost-rows
-- before
CREATE TABLE session (id TEXT PRIMARY KEY);
-- change
DELETE FROM session;
