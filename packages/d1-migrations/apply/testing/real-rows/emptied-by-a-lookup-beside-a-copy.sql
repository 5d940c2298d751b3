-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE ord (id INTEGER PRIMARY KEY, ref TEXT, note TEXT, state TEXT, at TEXT); CREATE TABLE st (code TEXT PRIMARY KEY);
-- rows
INSERT INTO ord VALUES (1,'R1','n','done','2022-01-01'),(2,'R2',NULL,'open','2024-01-01'),(3,'r2','x','open','2025-01-01'),(4,'R 2','y','open','2025'),(5,NULL,'z',NULL,NULL); INSERT INTO st VALUES ('open');
-- change
CREATE TABLE bak AS SELECT * FROM ord; UPDATE ord SET state = (SELECT code FROM st WHERE code = ord.state);
