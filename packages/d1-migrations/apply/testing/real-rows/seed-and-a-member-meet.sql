-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE member (id TEXT PRIMARY KEY, name TEXT); INSERT INTO member VALUES ('root','Ädmin');
-- rows
INSERT INTO member VALUES ('a','Ärger'),('b','Bob');
-- change
DELETE FROM member WHERE hex(name) LIKE 'C384%';
