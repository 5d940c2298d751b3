-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE n (a TEXT, b INTEGER, t TEXT, PRIMARY KEY (a,b)) WITHOUT ROWID;
-- rows
INSERT INTO n VALUES ('x',1,'q'),('X',2,'b'),('x',2,'c');
-- change
UPDATE OR REPLACE n SET a = lower(a);
