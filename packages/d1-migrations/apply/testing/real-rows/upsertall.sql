-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE s (k TEXT PRIMARY KEY, v TEXT);
-- rows
INSERT INTO s VALUES ('a','1'),('b','2');
-- change
INSERT INTO s SELECT k, 'default' FROM s WHERE true ON CONFLICT (k) DO UPDATE SET v = excluded.v;
