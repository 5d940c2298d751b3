-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT NOT NULL, name TEXT, zip TEXT, plan TEXT);
CREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE);
CREATE TABLE profile (user_id TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE, bio TEXT);
CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT, at INTEGER, kind TEXT);
CREATE TABLE event (id INTEGER PRIMARY KEY, what TEXT, amount INTEGER);
-- rows
INSERT INTO user VALUES ('u1','Ada@x.org','Ada','01234','free'),('u2','ada@x.org','Ada 2','+49','pro'),('u3','bob@x.org',NULL,'99999',NULL);
INSERT INTO session VALUES ('s1','u1'),('s2','u2'),('s3','u3');
INSERT INTO profile VALUES ('u1','bio one'),('u2','bio two');
INSERT INTO note VALUES ('n1','hello',1,'a'),('n2',NULL,2,'b'),('n3','world',3,'a');
INSERT INTO event VALUES (1,'x',9007199254740993),(2,'y',2),(7,'z',3);
-- change
CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT, at INTEGER, kind TEXT NOT NULL DEFAULT 'a');
INSERT INTO __new_note (id, text, at) SELECT id, text, at FROM note;
DROP TABLE note;
ALTER TABLE __new_note RENAME TO note;
