-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE u (id TEXT PRIMARY KEY, mail TEXT UNIQUE);
-- rows
INSERT INTO u VALUES ('1',' A@b '), ('2','C@d');
-- change
-- d1:changes u.mail: decided in the ticket
UPDATE u SET mail = lower(trim(mail));
