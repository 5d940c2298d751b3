-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE member (id TEXT PRIMARY KEY, name TEXT, street TEXT, zip TEXT, city TEXT);
-- rows
INSERT INTO member VALUES ('m1','Ada','High Street','10115','Berlin'),('m2','Bo','Low Street','80331','Munich');
-- change
CREATE TABLE address (member_id TEXT PRIMARY KEY, city TEXT, zip TEXT, street TEXT);
INSERT INTO address SELECT id, street, zip, city FROM member;
ALTER TABLE member DROP COLUMN street; ALTER TABLE member DROP COLUMN zip; ALTER TABLE member DROP COLUMN city;
