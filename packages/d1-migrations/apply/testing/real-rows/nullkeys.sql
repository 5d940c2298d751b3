-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE n (k TEXT PRIMARY KEY, v TEXT);
-- rows
INSERT INTO n VALUES (NULL,'a'),(NULL,'b'),('x','c');
-- change
CREATE TABLE m (k TEXT PRIMARY KEY NOT NULL, v TEXT); INSERT INTO m SELECT coalesce(k,''), v FROM n WHERE true ON CONFLICT (k) DO UPDATE SET v = excluded.v; DROP TABLE n; ALTER TABLE m RENAME TO n;
