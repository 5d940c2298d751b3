-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE comment (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES comment (id), text TEXT);
-- rows
INSERT INTO comment VALUES (1, NULL, 'root'), (2, 1, 'child'), (9, 2, 'deep');
-- change
UPDATE comment SET parent_id = 1 WHERE parent_id IS NOT NULL;
