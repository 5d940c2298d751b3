-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE p (code TEXT PRIMARY KEY); CREATE TABLE c (id INTEGER PRIMARY KEY, p TEXT REFERENCES p(code) ON UPDATE CASCADE);
-- rows
INSERT INTO p VALUES ('a'),('b'); INSERT INTO c VALUES (1,'a'),(2,'b');
-- change
-- d1:changes p.code: new codes from the office
UPDATE p SET code = 's-' || code;
