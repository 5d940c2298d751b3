-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE page (id INTEGER PRIMARY KEY, slug TEXT, active INTEGER, title TEXT);
CREATE UNIQUE INDEX page_slug ON page (slug) WHERE active = 1;
-- rows
INSERT INTO page VALUES (1,'home',0,hex(zeroblob(601)));
-- change
UPDATE page SET title = 'Start' WHERE slug = 'home' AND length(title) > 1000;
