-- A table with rows is dropped
-- Seen: drizzle-kit 0.31
-- On D1: loses
-- Lint: error lost-rows
-- before
CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);
CREATE TABLE page (id TEXT PRIMARY KEY);
-- change
DROP TABLE `note`;
