-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE post (id INTEGER PRIMARY KEY, body TEXT);
-- rows
INSERT INTO post VALUES (1, replace(hex(zeroblob(3003)),'0','x')), (2, NULL);
-- change
UPDATE post SET body = substr(coalesce(body, ''), 1, 4000);
