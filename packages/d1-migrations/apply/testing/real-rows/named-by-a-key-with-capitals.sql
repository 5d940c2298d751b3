-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, title TEXT);
CREATE UNIQUE INDEX member_name ON member (name COLLATE BINARY);
-- rows
INSERT INTO member VALUES (1,'ada',hex(zeroblob(601))),(2,'Ada',hex(zeroblob(602)));
-- change
UPDATE member SET title = 'Countess' WHERE name = 'ada' AND length(title) > 1000;
