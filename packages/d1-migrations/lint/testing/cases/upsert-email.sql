-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE user (id TEXT PRIMARY KEY NOT NULL, email TEXT NOT NULL UNIQUE, name TEXT, plan TEXT NOT NULL DEFAULT 'free' CHECK (plan IN ('free','pro')), created_at INTEGER NOT NULL DEFAULT (unixepoch()));
-- rows
INSERT INTO user VALUES ('u1','Ada@x.org','Ada','free',1),('u2','ada@x.org',NULL,'pro',2),('u3','bob@x.org','Bob','free',3);
-- change
INSERT INTO user (id, email) VALUES ('x9', 'bob@x.org') ON CONFLICT (email) DO UPDATE SET id = excluded.id, name = NULL;
