-- Harm: no
-- Lint: keeps
-- Up: sends
-- before
CREATE TABLE it (id INTEGER PRIMARY KEY, qty INTEGER NOT NULL);
-- rows
INSERT INTO it VALUES (1,2),(2,3);
-- change
CREATE TABLE piece (it_id INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (it_id, n));
WITH RECURSIVE s(id, n, qty) AS (SELECT id, 1, qty FROM it WHERE qty > 0 UNION ALL SELECT id, n + 1, qty FROM s WHERE n < qty)
INSERT INTO piece SELECT id, n FROM s;
