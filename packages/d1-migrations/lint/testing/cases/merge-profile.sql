-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE user (id TEXT PRIMARY KEY NOT NULL, email TEXT NOT NULL UNIQUE, name TEXT, plan TEXT NOT NULL DEFAULT 'free' CHECK (plan IN ('free','pro')), created_at INTEGER NOT NULL DEFAULT (unixepoch()));
CREATE TABLE profile (user_id TEXT PRIMARY KEY NOT NULL REFERENCES user (id) ON DELETE CASCADE, bio TEXT, avatar BLOB);
-- rows
INSERT INTO user VALUES ('u1','Ada@x.org','Ada','free',1),('u2','ada@x.org',NULL,'pro',2),('u3','bob@x.org','Bob','free',3);
INSERT INTO profile VALUES ('u1','bio1',x'00ff'),('u2',NULL,NULL);
-- change
-- d1:moves profile.user_id to user.id: decided in the ticket
-- d1:moves profile.bio to user.bio: decided in the ticket
-- d1:moves profile.avatar to user.avatar: decided in the ticket
ALTER TABLE user ADD COLUMN bio TEXT;
ALTER TABLE user ADD COLUMN avatar BLOB;
UPDATE user SET bio = (SELECT p.bio FROM profile p WHERE p.user_id = user.id), avatar = (SELECT p.avatar FROM profile p WHERE p.user_id = user.id);
DROP TABLE profile;
