-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE user (id TEXT PRIMARY KEY NOT NULL, email TEXT NOT NULL UNIQUE, name TEXT, plan TEXT NOT NULL DEFAULT 'free' CHECK (plan IN ('free','pro')), created_at INTEGER NOT NULL DEFAULT (unixepoch()));
-- rows
INSERT INTO user VALUES ('u1','Ada@x.org','Ada','free',1),('u2','ada@x.org',NULL,'pro',2),('u3','bob@x.org','Bob','free',3);
-- change
UPDATE user SET name = coalesce(name, substr(email, 1, instr(email, '@') - 1));
