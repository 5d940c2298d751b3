-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (name TEXT COLLATE NOCASE);
-- rows
INSERT INTO u VALUES ('Ann'),('b' || hex(zeroblob(600)) || 'b');
-- change
CREATE TABLE n (name TEXT COLLATE NOCASE, more TEXT); INSERT INTO n (name) SELECT iif(length(name) > 1000, upper(name), name) FROM u; DROP TABLE u; ALTER TABLE n RENAME TO u;
