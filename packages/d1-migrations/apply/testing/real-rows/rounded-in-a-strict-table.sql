-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE post (id INTEGER PRIMARY KEY, v REAL) STRICT;
-- rows
INSERT INTO post VALUES (1, 1.23456789), (2, NULL);
-- change
UPDATE post SET v = round(coalesce(v,0), 2);
