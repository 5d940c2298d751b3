-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE tag (id TEXT PRIMARY KEY NOT NULL, name TEXT);
-- rows
INSERT INTO tag VALUES ('1', 'x'), ('2', 'y');
-- change
-- d1:changes tag.id: keys get a prefix
-- d1:repeats tag, at most 0 rows: none has the prefix yet
INSERT INTO tag SELECT 'x-' || id, name FROM tag; DELETE FROM tag WHERE id NOT LIKE 'x-%';
