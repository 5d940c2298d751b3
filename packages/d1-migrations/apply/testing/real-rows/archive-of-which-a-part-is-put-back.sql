-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE ord (id INTEGER PRIMARY KEY, ref TEXT, note TEXT, state TEXT, at TEXT);
-- rows
INSERT INTO ord VALUES (1,'R1','n','done','2022-01-01'),(2,'R2',NULL,'open','2024-01-01'),(3,'r2','x','open','2025-01-01');
-- change
CREATE TABLE bak AS SELECT * FROM ord; DELETE FROM ord; INSERT INTO ord SELECT * FROM bak WHERE state = 'open' AND note IS NOT NULL;
