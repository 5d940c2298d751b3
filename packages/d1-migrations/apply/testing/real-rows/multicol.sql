-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, first TEXT, last TEXT);
-- rows
INSERT INTO n VALUES (1,'A','B'),(2,'C','D');
-- change
ALTER TABLE n ADD COLUMN full TEXT; UPDATE n SET full = first || ' ' || last; ALTER TABLE n DROP COLUMN first; ALTER TABLE n DROP COLUMN last;
