-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE ord (id INTEGER PRIMARY KEY, ref TEXT, note TEXT, state TEXT, at TEXT);
-- rows
INSERT INTO ord VALUES (1,'R1','n','done','2022-01-01'),(2,'R2',NULL,'open','2024-01-01'),(3,'r2','x','open','2025-01-01'),(4,'R 2','y','open','2025'),(5,NULL,'z',NULL,NULL);
-- change
CREATE TABLE ord_archive AS SELECT * FROM ord; DELETE FROM ord WHERE state = 'done'; CREATE TABLE ord2 (id INTEGER PRIMARY KEY, ref TEXT COLLATE NOCASE UNIQUE, note TEXT, state TEXT, at TEXT); INSERT OR IGNORE INTO ord2 SELECT * FROM ord; DROP TABLE ord; ALTER TABLE ord2 RENAME TO ord;
