-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE memo (id TEXT PRIMARY KEY NOT NULL, text TEXT);
-- rows
INSERT INTO memo VALUES ('n1','memo 1'),('m2','memo 2');
-- change
CREATE TABLE _alembic_tmp_memo (id TEXT NOT NULL, text TEXT, x INTEGER, PRIMARY KEY (id));
INSERT INTO _alembic_tmp_memo (id, text) SELECT memo.id, memo.text FROM memo;
DROP TABLE memo;
ALTER TABLE _alembic_tmp_memo RENAME TO memo;
