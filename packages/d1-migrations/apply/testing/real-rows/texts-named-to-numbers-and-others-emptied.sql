-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE f (id INTEGER PRIMARY KEY, active TEXT);
-- rows
INSERT INTO f VALUES (1, 'true'), (2, 'false'), (3, NULL), (4, 'perhaps');
-- change
-- d1:changes f.active: 1 and 0 are what the new version reads
CREATE TABLE n (id INTEGER PRIMARY KEY, active INTEGER); INSERT INTO n SELECT id, CASE active WHEN 'true' THEN 1 WHEN 'false' THEN 0 END FROM f; DROP TABLE f; ALTER TABLE n RENAME TO f;
