-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, at REAL);
-- rows
INSERT INTO n VALUES (1, 1.5),(2,2.25);
-- change
UPDATE n SET at = CAST(at AS INTEGER) WHERE at > 2;
