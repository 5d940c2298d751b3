-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE part (id INTEGER PRIMARY KEY, a TEXT);
-- rows
INSERT INTO part VALUES (1, 'a'), (2, 'b');
-- change
ALTER TABLE part RENAME TO __old;
CREATE TABLE part (id INTEGER PRIMARY KEY, a TEXT, b TEXT);
INSERT INTO part (id, a) SELECT * FROM (SELECT id, a FROM __old ORDER BY id LIMIT 200);
DROP TABLE __old;
