-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE p (id INTEGER PRIMARY KEY, status TEXT);
-- rows
INSERT INTO p VALUES (1,'draft'),(2,'live');
-- change
-- d1:changes p.status: draft is called new from now on
UPDATE p SET status = 'new' WHERE status = 'draft';
