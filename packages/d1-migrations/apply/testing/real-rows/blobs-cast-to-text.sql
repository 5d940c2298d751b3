-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE post (id INTEGER PRIMARY KEY, body TEXT);
-- rows
INSERT INTO post VALUES (1, x'4142'), (2, NULL);
-- change
UPDATE post SET body = CAST(coalesce(body,'') AS TEXT);
