-- Rows are deleted by what a function makes of them, which no trial can meet
-- Seen: a clean-up after a wrong encoding
-- On D1: keeps
-- Lint: error lost-rows
-- before
CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);
-- change
DELETE FROM note WHERE hex(text) LIKE 'C3A4%';
