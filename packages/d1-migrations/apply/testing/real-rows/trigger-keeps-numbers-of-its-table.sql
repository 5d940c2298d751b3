-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE page (slug TEXT PRIMARY KEY, body TEXT); CREATE TABLE seen (page INTEGER, note TEXT); CREATE TRIGGER noted AFTER UPDATE OF body ON page BEGIN INSERT INTO seen VALUES (NEW.oid, NEW.slug); END;
-- rows
INSERT INTO page(rowid,slug,body) VALUES (1,'a','x'),(5,'b','y'),(9,'c','z'); UPDATE page SET body = body || '!'; INSERT INTO seen VALUES (400, 'gone');
-- change
DROP TRIGGER noted; CREATE TABLE n (slug TEXT PRIMARY KEY, body TEXT, more TEXT); INSERT INTO n(slug,body) SELECT slug, body FROM page ORDER BY slug DESC; DROP TABLE page; ALTER TABLE n RENAME TO page; CREATE TRIGGER noted AFTER UPDATE OF body ON page BEGIN INSERT INTO seen VALUES (NEW.oid, NEW.slug); END;
