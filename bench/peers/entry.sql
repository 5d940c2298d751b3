CREATE TABLE journal_entry (id text PRIMARY KEY NOT NULL, user_id text NOT NULL, mood text NOT NULL, text text NOT NULL, prompt_id text, created_at integer NOT NULL);
CREATE INDEX journal_entry_user ON journal_entry (user_id, created_at, id);
