-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, status TEXT);
-- rows
INSERT INTO n VALUES (1, 'a'), (2, 'b'), (3, 'a');
-- change
-- d1:changes n.status: a and b are one kind now
UPDATE n SET status = 'c' WHERE status IN ('a', 'b');
