-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT); CREATE TABLE member (id TEXT PRIMARY KEY, about TEXT, country TEXT);
-- rows
INSERT INTO member VALUES ('m0','','CH'),('m1',hex(zeroblob(1000)),'FR'),('m2',hex(zeroblob(1000)),'IT');
-- change
INSERT INTO country VALUES ('DE','Germany'),('FR','France'),('IT','Italy'),('CH','Switzerland'),('AT','Austria'),('ES','Spain'); UPDATE member SET country='DE' WHERE id = 'm0' OR length(about) > 1000;
