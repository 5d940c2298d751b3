-- Harm: no
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE user (id INTEGER PRIMARY KEY, n TEXT); CREATE TABLE profile (user_id INTEGER PRIMARY KEY REFERENCES user (id), theme TEXT);
-- rows
INSERT INTO user VALUES (1, 'a'), (2, 'b'), (3, 'c'); INSERT INTO profile VALUES (2, 'dark');
-- change
INSERT INTO profile (user_id, theme) SELECT u.id, 'dark' FROM user AS u LEFT JOIN profile AS p ON p.user_id = u.id WHERE p.user_id IS NULL;
