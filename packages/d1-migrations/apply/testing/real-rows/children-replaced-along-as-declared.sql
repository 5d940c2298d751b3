-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE p (id INTEGER PRIMARY KEY, slug TEXT UNIQUE);
CREATE TABLE c (id INTEGER PRIMARY KEY, p_id INTEGER REFERENCES p (id) ON DELETE CASCADE, v TEXT);
-- rows
INSERT INTO p VALUES (1,'a'),(2,'b'); INSERT INTO c VALUES (1,1,'x'),(2,1,'y'),(3,2,'z');
-- change
-- d1:changes p.slug: decided in the ticket
-- d1:loses p, at most 1 row: the older of both pages goes
-- d1:loses c, at most 2 rows: both comments of that page go
UPDATE OR REPLACE p SET slug = 'a' WHERE id = 2;
