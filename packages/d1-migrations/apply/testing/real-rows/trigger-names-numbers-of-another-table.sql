-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE hit (day TEXT, n INTEGER); CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT); CREATE TRIGGER counted AFTER INSERT ON hit BEGIN UPDATE hit SET n = coalesce(NEW.n, 0) WHERE rowid = NEW.rowid; UPDATE setting SET value = 'yes' WHERE key = 'seen'; END;
-- rows
INSERT INTO setting(rowid,key,value) VALUES (1,'theme','dark'),(5,'lang','en'),(9,'seen','no'); INSERT INTO hit VALUES ('monday', NULL);
-- change
DROP TRIGGER counted; CREATE TABLE n (key TEXT PRIMARY KEY, value TEXT, kind TEXT); INSERT INTO n(key,value) SELECT key, value FROM setting; DROP TABLE setting; ALTER TABLE n RENAME TO setting; CREATE TRIGGER counted AFTER INSERT ON hit BEGIN UPDATE hit SET n = coalesce(NEW.n, 0) WHERE rowid = NEW.rowid; UPDATE setting SET value = 'yes' WHERE key = 'seen'; END;
