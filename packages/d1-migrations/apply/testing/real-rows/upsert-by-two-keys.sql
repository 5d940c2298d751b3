-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE page (id TEXT PRIMARY KEY, slug TEXT UNIQUE, title TEXT);
-- rows
INSERT INTO page VALUES ('p1','a','A'),('home','h','H'),('p3','start','Mine');
-- change
INSERT INTO page (id, slug, title) VALUES ('new','start','Start') ON CONFLICT (id) DO UPDATE SET title = 'by id' ON CONFLICT (slug) DO UPDATE SET title = 'by slug';
