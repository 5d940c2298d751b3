-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE u (mail TEXT PRIMARY KEY, n INTEGER);
-- rows
INSERT INTO u(rowid,mail,n) VALUES (3,' A@b ',1), (9,'C@d',2);
-- change
-- d1:changes u.mail: decided in the ticket
CREATE TABLE m (mail TEXT PRIMARY KEY NOT NULL, n INTEGER); INSERT INTO m SELECT lower(trim(mail)), n FROM u; DROP TABLE u; ALTER TABLE m RENAME TO u;
