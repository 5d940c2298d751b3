-- Harm: no
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, n TEXT); CREATE TABLE p (id INTEGER PRIMARY KEY, u INTEGER REFERENCES u(id), t TEXT);
-- rows
INSERT INTO u VALUES (1,'A'),(2,'B'); INSERT INTO p VALUES (1,1,'x'),(2,NULL,'y');
-- change
-- d1:changes u.id: the ids become unguessable
-- d1:changes p.u: follows the ids of the users
CREATE TABLE u2 (id TEXT PRIMARY KEY, old INTEGER, n TEXT); INSERT INTO u2 SELECT lower(hex(randomblob(16))), id, n FROM u;
CREATE TABLE p2 (id INTEGER PRIMARY KEY, u TEXT REFERENCES u2(id), t TEXT); INSERT INTO p2 SELECT p.id, u2.id, p.t FROM p LEFT JOIN u2 ON u2.old = p.u;
DROP TABLE p; DROP TABLE u; ALTER TABLE u2 RENAME TO u; ALTER TABLE p2 RENAME TO p; ALTER TABLE u DROP COLUMN old;
