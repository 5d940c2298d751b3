-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE p (id INTEGER PRIMARY KEY, u INTEGER REFERENCES u(id));
-- rows
INSERT INTO u VALUES (1,'a'),(2,'b'); INSERT INTO p VALUES (1,1),(2,1);
-- change
ALTER TABLE u ADD COLUMN posts INTEGER NOT NULL DEFAULT 0; UPDATE u SET posts = (SELECT count(*) FROM p WHERE p.u = u.id);
