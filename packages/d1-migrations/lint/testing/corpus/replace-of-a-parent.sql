-- INSERT OR REPLACE deletes the row in its way, and its children
-- Seen: hand-written
-- On D1: keeps
-- Lint: error cascade-parent; error changed-values
-- before
CREATE TABLE role (id TEXT PRIMARY KEY, title TEXT);
CREATE TABLE grants (role_id TEXT REFERENCES role (id) ON DELETE CASCADE);
-- change
INSERT OR REPLACE INTO role VALUES ('admin', 'Administrator');
