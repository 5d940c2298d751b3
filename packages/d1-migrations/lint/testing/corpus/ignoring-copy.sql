-- INSERT OR IGNORE into a table with a new key
-- Seen: hand-written
-- On D1: keeps
-- Lint: error lost-rows; warning fails-on-rows
-- before
CREATE TABLE member (team TEXT, user TEXT, at INTEGER);
-- change
CREATE TABLE __new_member (team TEXT NOT NULL, user TEXT NOT NULL, at INTEGER, PRIMARY KEY (team, user));
INSERT OR IGNORE INTO __new_member SELECT team, user, at FROM member;
DROP TABLE member;
ALTER TABLE __new_member RENAME TO member;
