-- A row of the ledger is deleted, to run a file again
-- Seen: hand-written
-- On D1: loses
-- Lint: error ledger-write
-- before
CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);
-- change
DELETE FROM d1_migrations;
