-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE post (id INTEGER PRIMARY KEY, body TEXT);
-- rows
INSERT INTO post VALUES (1, 'a' || char(13,10) || 'b'), (2, ' x ');
-- change
UPDATE post SET body = trim(replace(body, char(13), ''));
