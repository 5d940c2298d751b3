-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE p (id INTEGER PRIMARY KEY, width INTEGER NOT NULL, code INTEGER NOT NULL);
-- rows
INSERT INTO p VALUES (1,3,7),(2,4,11);
-- change
-- d1:changes p.code: padded to the width of its row
UPDATE p SET code = printf('%0*d', width, code) || 'x';
