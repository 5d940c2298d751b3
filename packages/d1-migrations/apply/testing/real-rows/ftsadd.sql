-- Harm: no
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE page (id INTEGER PRIMARY KEY, body TEXT);
-- rows
INSERT INTO page VALUES (1,'x'),(5,'y');
-- change
CREATE VIRTUAL TABLE ps USING fts5(body, content='page', content_rowid='id'); INSERT INTO ps(ps) VALUES ('rebuild'); CREATE TRIGGER au AFTER UPDATE ON page BEGIN INSERT INTO ps(ps, rowid, body) VALUES ('delete', OLD.id, OLD.body); INSERT INTO ps(rowid, body) VALUES (NEW.id, NEW.body); END; UPDATE page SET body = lower(body);
