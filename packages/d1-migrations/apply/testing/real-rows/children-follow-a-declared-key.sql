-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE user (id TEXT PRIMARY KEY); CREATE TABLE session (id TEXT PRIMARY KEY REFERENCES user (id) ON UPDATE CASCADE, at INTEGER); CREATE TABLE note (id INTEGER PRIMARY KEY, session_id TEXT REFERENCES session (id) ON UPDATE CASCADE);
-- rows
INSERT INTO user VALUES ('u1'),('u2'); INSERT INTO session VALUES ('u1',5),('u2',6); INSERT INTO note VALUES (1,'u1'),(2,NULL);
-- change
-- d1:changes user.id: ids get a prefix
-- d1:changes session.id: sessions have the ids of their users
-- d1:changes note.session_id: notes name those ids
UPDATE user SET id = 'usr_' || id;
