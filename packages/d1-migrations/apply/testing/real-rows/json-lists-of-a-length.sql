-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE post (id INTEGER PRIMARY KEY, tags TEXT);
-- rows
INSERT INTO post VALUES (1, '["a","b","c","d"]'), (2, NULL);
-- change
UPDATE post SET tags = '[]' WHERE tags IS NULL OR json_array_length(tags) > 2;
