-- ALTER TABLE ADD UNIQUE, which SQLite does not have
-- Seen: wanwusangzhigit/eoj#1
-- On D1: fails
-- Lint: error fails
-- before
CREATE TABLE member (id TEXT PRIMARY KEY);
-- change
ALTER TABLE member ADD COLUMN code TEXT UNIQUE;
