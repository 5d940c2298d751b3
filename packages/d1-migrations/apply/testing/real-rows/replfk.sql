-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, x TEXT); INSERT INTO u VALUES (1,'seed'); CREATE TABLE p (id INTEGER PRIMARY KEY, u INTEGER REFERENCES u(id) ON DELETE SET NULL, t TEXT);
-- rows
INSERT INTO p VALUES (1,1,'k');
-- change
DELETE FROM u WHERE id = 1;
