-- A unique index is dropped and made again on more columns
-- Seen: drizzle-kit 0.31
-- On D1: keeps
-- Lint: warning fails-on-rows; warning lost-parts
-- before
CREATE TABLE member (id TEXT PRIMARY KEY, email TEXT, team TEXT);
CREATE UNIQUE INDEX member_email ON member (email);
-- change
DROP INDEX `member_email`;--> statement-breakpoint
CREATE UNIQUE INDEX `member_email_team` ON `member` (`email`,`team`);
