-- Harm: no
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE user (id TEXT PRIMARY KEY NOT NULL, email TEXT NOT NULL UNIQUE, name TEXT, plan TEXT NOT NULL DEFAULT 'free' CHECK (plan IN ('free','pro')), created_at INTEGER NOT NULL DEFAULT (unixepoch()));
CREATE TABLE session (id TEXT PRIMARY KEY NOT NULL, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, token TEXT NOT NULL, expires_at INTEGER NOT NULL);
CREATE UNIQUE INDEX session_token ON session (token);
CREATE INDEX session_user ON session (user_id);
-- rows
INSERT INTO user VALUES ('u1','Ada@x.org','Ada','free',1),('u2','ada@x.org',NULL,'pro',2),('u3','bob@x.org','Bob','free',3);
INSERT INTO session VALUES ('s1','u1','t1',100),('s2','u2','t2',2000000000),('s3','u3','T2',5);
-- change
DELETE FROM session WHERE user_id NOT IN (SELECT id FROM user);
