-- Harm: no
-- Lint: keeps
-- Up: sends
-- before
CREATE TABLE page (id INTEGER PRIMARY KEY, body TEXT); CREATE VIRTUAL TABLE ps USING fts5(body, content='page', content_rowid='id'); CREATE TRIGGER ai AFTER INSERT ON page BEGIN INSERT INTO ps(rowid, body) VALUES (NEW.id, NEW.body); END;
-- rows
INSERT INTO page VALUES (1,'x'),(5,'y');
-- change
DROP TABLE ps; CREATE VIRTUAL TABLE ps USING fts5(body, content='page', content_rowid='id', tokenize='porter'); INSERT INTO ps(ps) VALUES ('rebuild'); INSERT INTO page VALUES (7,'z');
