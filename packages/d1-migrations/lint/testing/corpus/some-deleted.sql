-- DELETE of repeated rows before a unique index
-- Seen: hand-written
-- On D1: keeps
-- Lint: error lost-rows; warning fails-on-rows
-- before
CREATE TABLE vote (id INTEGER PRIMARY KEY, user TEXT, post TEXT);
-- change
DELETE FROM vote WHERE id NOT IN (SELECT min(id) FROM vote GROUP BY user, post);
CREATE UNIQUE INDEX vote_once ON vote (user, post);
