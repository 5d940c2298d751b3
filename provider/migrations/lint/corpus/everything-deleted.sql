-- DELETE without a condition
-- Seen: hand-written
-- On D1: loses
-- Lint: error unbounded-write
-- before
CREATE TABLE session (id TEXT PRIMARY KEY);
-- change
DELETE FROM session;
