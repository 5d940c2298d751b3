-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE s (id INTEGER PRIMARY KEY, st TEXT, email TEXT, zip TEXT, meta TEXT, born TEXT, code TEXT);
-- rows
INSERT INTO s VALUES (1,'open','a@b','12345','{"a":1}','2000-01-01','A1');
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, st TEXT CHECK (st IN ('open','done')), email TEXT CHECK (instr(email,'@') > 0 AND email LIKE '%@%'), zip TEXT CHECK (length(zip) = 5), meta TEXT CHECK (json_valid(meta)), born TEXT CHECK (born IS date(born)), code TEXT CHECK (code GLOB '[A-Z][0-9]*')); INSERT INTO m SELECT * FROM s; DROP TABLE s; ALTER TABLE m RENAME TO s;
