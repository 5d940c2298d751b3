-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE part (id TEXT NOT NULL, a REAL, b INTEGER, PRIMARY KEY (id, a));
-- rows
INSERT INTO part VALUES ('x',NULL,1),('y',2.5,2);
-- change
INSERT INTO part (id, a, b) SELECT id, a, b FROM part WHERE true ON CONFLICT (id, a) DO UPDATE SET (b, b) = (excluded.b, excluded.b);
