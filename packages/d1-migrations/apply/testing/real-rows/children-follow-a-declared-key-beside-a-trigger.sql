-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE user (id TEXT PRIMARY KEY); CREATE TABLE session (id INTEGER PRIMARY KEY, user_id TEXT REFERENCES user (id) ON UPDATE CASCADE); CREATE TRIGGER one AFTER UPDATE ON user BEGIN UPDATE session SET user_id = NEW.id WHERE id = 2; END;
-- rows
INSERT INTO user VALUES ('u1'),('u2'),('u3'); INSERT INTO session VALUES (1,'u1'),(2,'u2'),(3,'u3');
-- change
-- d1:changes user.id: ids get a prefix
UPDATE user SET id = 'usr_' || id;
