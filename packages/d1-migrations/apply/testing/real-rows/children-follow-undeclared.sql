-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE p (code TEXT PRIMARY KEY); CREATE TABLE c (id INTEGER PRIMARY KEY, p TEXT REFERENCES p(code) ON UPDATE CASCADE);
-- rows
INSERT INTO p VALUES ('a'),('b'); INSERT INTO c VALUES (1,'a'),(2,'b');
-- change
UPDATE p SET code = 's-' || code;
