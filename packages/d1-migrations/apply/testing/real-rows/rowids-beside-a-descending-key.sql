-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE page (id INTEGER PRIMARY KEY DESC, body TEXT);
CREATE VIRTUAL TABLE page_words USING fts5(body, content='page');
-- rows
INSERT INTO page (rowid, id, body) VALUES (5,1,'alpha'),(9,2,'beta');
INSERT INTO page_words(page_words) VALUES ('rebuild');
-- change
CREATE TABLE n (id INTEGER PRIMARY KEY DESC, body TEXT);
INSERT INTO n SELECT id, body FROM page;
DROP TABLE page;
ALTER TABLE n RENAME TO page;
