-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE role (id INTEGER PRIMARY KEY, name TEXT, label TEXT); INSERT INTO role VALUES (1,'admin','Admin'),(2,'user','User');
-- rows
INSERT INTO role VALUES (3,'own','Own');
-- change
DELETE FROM role WHERE id = 2; INSERT INTO role VALUES (1,'admin','Administrator') ON CONFLICT (id) DO UPDATE SET label = excluded.label;
