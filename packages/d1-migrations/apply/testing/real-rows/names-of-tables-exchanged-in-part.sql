-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT); CREATE TABLE b (id INTEGER PRIMARY KEY, v TEXT);
-- rows
INSERT INTO a VALUES (1, 'a1'), (2, 'a2'); INSERT INTO b VALUES (1, 'b1'), (4, 'b2');
-- change
-- d1:moves a to b: they had each other's names
-- d1:moves b to a: they had each other's names
ALTER TABLE a RENAME TO t; ALTER TABLE b RENAME TO a; ALTER TABLE t RENAME TO b; DELETE FROM b WHERE hex(v) = '6132';
