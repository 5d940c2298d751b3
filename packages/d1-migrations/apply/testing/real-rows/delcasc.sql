-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, x TEXT); CREATE TABLE p (id INTEGER PRIMARY KEY, u INTEGER REFERENCES u(id) ON DELETE CASCADE, t TEXT);
-- rows
INSERT INTO u VALUES (1,'seed'),(2,'b'); INSERT INTO p VALUES (1,1,'k');
-- change
REPLACE INTO u VALUES (1,'seed');
