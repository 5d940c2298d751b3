-- A unique index on a column that was free
-- Seen: drizzle-kit 0.31
-- On D1: keeps
-- Lint: warning fails-on-rows
-- before
CREATE TABLE member (id TEXT PRIMARY KEY, email TEXT);
-- change
CREATE UNIQUE INDEX `member_email_unique` ON `member` (`email`);
