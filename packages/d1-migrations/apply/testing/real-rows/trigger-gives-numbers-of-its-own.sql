-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE page (id INTEGER PRIMARY KEY, body TEXT); CREATE TABLE copy (slug TEXT PRIMARY KEY, body TEXT); CREATE TRIGGER copied AFTER INSERT ON page BEGIN INSERT INTO copy (rowid, slug, body) VALUES (NEW.id, 'page-' || NEW.id, NEW.body); END;
-- rows
INSERT INTO page VALUES (1,'x'),(5,'y'),(9,'z');
-- change
DROP TRIGGER copied; CREATE TABLE n (slug TEXT PRIMARY KEY, body TEXT, more TEXT); INSERT INTO n(slug,body) SELECT slug, body FROM copy; DROP TABLE copy; ALTER TABLE n RENAME TO copy; CREATE TRIGGER copied AFTER INSERT ON page BEGIN INSERT INTO copy (rowid, slug, body) VALUES (NEW.id, 'page-' || NEW.id, NEW.body); END;
