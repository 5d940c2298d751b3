-- Harm: no
-- Lint: keeps
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT);
-- rows
INSERT INTO u VALUES (1,'a'),(2,'b');
-- change
CREATE TABLE u_old AS SELECT * FROM u; INSERT INTO u (name) VALUES ('new'); DROP TABLE u_old;
