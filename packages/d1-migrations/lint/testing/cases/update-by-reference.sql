-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE owner (id INTEGER PRIMARY KEY, a REAL);
CREATE TABLE item (id TEXT PRIMARY KEY NOT NULL, a TEXT, owner_id INTEGER REFERENCES owner (id));
-- rows
INSERT INTO owner VALUES (1, 0.5), (2, 1.5);
INSERT INTO item VALUES ('i1', 'a', 1), ('i2', 'b', 2);
-- change
UPDATE item SET a = 'x' WHERE owner_id = 1;
