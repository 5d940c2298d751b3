-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE user (id TEXT PRIMARY KEY, plan TEXT); CREATE TABLE s (id TEXT PRIMARY KEY, u TEXT REFERENCES user(id) ON DELETE CASCADE);
-- rows
INSERT INTO user VALUES ('a',NULL),('b','x'); INSERT INTO s VALUES ('1','a'),('2','b');
-- change
PRAGMA defer_foreign_keys = ON;
CREATE TABLE __old_user AS SELECT * FROM user;
UPDATE user SET id = 'moved:' || id;
DROP TABLE user;
CREATE TABLE user (id TEXT PRIMARY KEY, plan TEXT NOT NULL);
INSERT INTO user SELECT id, coalesce(plan, 'free') FROM __old_user;
DROP TABLE __old_user;
