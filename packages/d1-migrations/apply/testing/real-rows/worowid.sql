-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE n (a TEXT, b INTEGER, t TEXT, PRIMARY KEY (a,b)) WITHOUT ROWID;
-- rows
INSERT INTO n VALUES ('x',1,hex(zeroblob(600))),('x',2,'b');
-- change
UPDATE n SET t = substr(t,1,1000);
