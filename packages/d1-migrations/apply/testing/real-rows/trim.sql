-- Harm: no
-- Lint: tried
-- Up: sends
-- before
CREATE TABLE u (id TEXT PRIMARY KEY, mail TEXT UNIQUE);
-- rows
INSERT INTO u VALUES ('1',' A@b '), ('2','C@d');
-- change
UPDATE u SET mail = lower(trim(mail));
