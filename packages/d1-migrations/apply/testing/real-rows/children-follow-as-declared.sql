-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE team (code TEXT PRIMARY KEY); CREATE TABLE member (id INTEGER PRIMARY KEY, team TEXT REFERENCES team(code) ON UPDATE CASCADE);
-- rows
INSERT INTO team VALUES ('a'),('b'); INSERT INTO member VALUES (1,'a'),(2,'b');
-- change
-- d1:changes team.code: new codes from the office
-- d1:changes member.team: it follows the code of the team
UPDATE team SET code = 's1-' || code;
