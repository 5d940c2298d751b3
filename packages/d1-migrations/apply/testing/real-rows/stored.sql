-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, a TEXT, b TEXT AS (a || '!') STORED);
-- rows
INSERT INTO n (id, a) VALUES (1,'x');
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, b TEXT); INSERT INTO m SELECT id, NULL FROM n; DROP TABLE n; ALTER TABLE m RENAME TO n;
