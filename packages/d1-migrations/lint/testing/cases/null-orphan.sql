-- Harm: no
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE user (id TEXT PRIMARY KEY NOT NULL, email TEXT NOT NULL UNIQUE, name TEXT, plan TEXT NOT NULL DEFAULT 'free' CHECK (plan IN ('free','pro')), created_at INTEGER NOT NULL DEFAULT (unixepoch()));
CREATE TABLE post (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, author_id TEXT REFERENCES user (id) ON DELETE SET NULL, title TEXT NOT NULL, body TEXT, meta TEXT, score REAL, at INTEGER, category TEXT);
CREATE INDEX post_author ON post (author_id);
-- rows
INSERT INTO user VALUES ('u1','Ada@x.org','Ada','free',1),('u2','ada@x.org',NULL,'pro',2),('u3','bob@x.org','Bob','free',3);
INSERT INTO post VALUES (1,'u1','Hello','body','{"a":1,"b":"x"}',1.5,100,'news'),(2,NULL,'World',NULL,NULL,-2.25,NULL,NULL),(3,'u2','hello','','{}',0,1700000000,'News'),(7,'u1','spam x','long body',NULL,NULL,5,'tech');
-- change
UPDATE post SET author_id = NULL WHERE author_id NOT IN (SELECT id FROM user);
