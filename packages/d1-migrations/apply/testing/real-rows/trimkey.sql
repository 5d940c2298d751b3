-- Harm: no
-- Lint: tried
-- Up: sends
-- before
CREATE TABLE u (mail TEXT PRIMARY KEY, n INTEGER);
-- rows
INSERT INTO u(rowid,mail,n) VALUES (3,' A@b ',1), (9,'C@d',2);
-- change
CREATE TABLE m (mail TEXT PRIMARY KEY NOT NULL, n INTEGER); INSERT INTO m SELECT lower(trim(mail)), n FROM u; DROP TABLE u; ALTER TABLE m RENAME TO u;
