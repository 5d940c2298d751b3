-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT NOT NULL, name TEXT);
CREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE);
CREATE TABLE tag (id INTEGER PRIMARY KEY, slug TEXT UNIQUE, colour TEXT);
CREATE TABLE log (at INTEGER, msg TEXT);
CREATE TABLE mail (addr TEXT COLLATE NOCASE, what TEXT);
-- rows
INSERT INTO user VALUES ('u1','A','n1'),('u2','B','n2'),('u3','C','n3');
INSERT INTO session VALUES ('s1','u1'),('s2','u2'),('s3','u3');
INSERT INTO tag VALUES (1,'Red','r'),(2,'red','r2'),(3,'blue','b');
INSERT INTO log VALUES (1,'abc'),(2,'abd'),(3,'x'),(3,'x'),(4,NULL);
INSERT INTO mail VALUES ('Ada@X','1'),('bob@x','2');
-- change
CREATE TABLE __new_tag (id INTEGER PRIMARY KEY, slug TEXT UNIQUE, colour TEXT);
INSERT INTO __new_tag SELECT id, upper(slug) || id, colour FROM tag;
DROP TABLE tag;
ALTER TABLE __new_tag RENAME TO tag;
