-- drizzle-kit drops tables by their names, a parent before its child
-- Seen: drizzle-team/drizzle-orm#6251
-- On D1: fails
-- Lint: error cascade-parent; error lost-rows
-- before
CREATE TABLE aaa (id INTEGER PRIMARY KEY, code TEXT);
CREATE TABLE zzz (id INTEGER PRIMARY KEY, p INTEGER REFERENCES aaa (id));
-- change
DROP TABLE `aaa`;--> statement-breakpoint
DROP TABLE `zzz`;
