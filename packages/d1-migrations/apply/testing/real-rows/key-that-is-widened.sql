-- harm: no
-- lint: compared
-- up: sends
-- before
CREATE TABLE device (uuid TEXT NOT NULL PRIMARY KEY, user TEXT NOT NULL, name TEXT);
-- rows
INSERT INTO device VALUES ('d1', 'u1', 'phone'), ('d2', 'u1', NULL);
-- change
CREATE TABLE wider (uuid TEXT NOT NULL, user TEXT NOT NULL, name TEXT, PRIMARY KEY (user, uuid)); INSERT INTO wider SELECT uuid, user, name FROM device; DROP TABLE device; ALTER TABLE wider RENAME TO device;
