-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE u (id TEXT PRIMARY KEY NOT NULL, email TEXT, name TEXT, age INTEGER, bal REAL, meta TEXT);
CREATE TABLE note (id INTEGER PRIMARY KEY, u_id TEXT REFERENCES u (id) ON DELETE CASCADE, body TEXT, pos INTEGER, at TEXT);
CREATE TABLE tag (u_id TEXT NOT NULL, tag TEXT NOT NULL, w INTEGER, PRIMARY KEY (u_id, tag)) WITHOUT ROWID;
CREATE TABLE log (msg TEXT, n INTEGER);
-- rows
INSERT INTO u VALUES ('a','A@x.de','Ann',30,10.25,'{"k":1,"z":[1,2]}'),('b','b@x.de',NULL,41,99.999,'{"k":"v"}'),('c','c@x.de','Çem ',NULL,0.1,NULL),('d','D@X.de','Dörte',7,-3.5,'{"a":{"b":2}}'),('e',NULL,'Eve-Marie von und zu Langname, geb. Kurz',120,1e15,'[]');
INSERT INTO note VALUES (1,'a','first',1,'2024-01-01'),(2,'a','second',2,'2024-01-01T10:00:00Z'),(5,'b','third'||char(10)||'line',1,NULL),(9,'c',hex(zeroblob(700)),-4,'1999-12-31'),(12,NULL,'orphan',3,'2025-05-05');
INSERT INTO tag VALUES ('a','x',1),('a','y',2),('b','x',3),('c','Z',NULL);
INSERT INTO log VALUES ('m',1),('m',1),('o',2),(NULL,3);
-- change
ALTER TABLE u ADD COLUMN notes INTEGER;
UPDATE u SET notes = (SELECT count(*) FROM note WHERE u_id = u.id);
