-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE p (id INTEGER PRIMARY KEY, v TEXT); CREATE TABLE k (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p (id) ON DELETE CASCADE, w TEXT);
-- rows
INSERT INTO p VALUES (1, 'x'), (2, NULL); INSERT INTO k VALUES (1, 1, 'a'), (2, 2, 'b');
-- change
CREATE TABLE k_backup AS SELECT * FROM k; CREATE TABLE p_new (id INTEGER PRIMARY KEY, v TEXT NOT NULL DEFAULT ''); INSERT INTO p_new SELECT id, coalesce(v, '') FROM p; DROP TABLE p; ALTER TABLE p_new RENAME TO p;
