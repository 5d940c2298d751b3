CREATE TABLE user (id text PRIMARY KEY NOT NULL, name text NOT NULL, email text NOT NULL UNIQUE, email_verified integer DEFAULT false NOT NULL, image text, created_at integer NOT NULL, updated_at integer NOT NULL);
CREATE TABLE session (id text PRIMARY KEY NOT NULL, expires_at integer NOT NULL, token text NOT NULL UNIQUE, created_at integer NOT NULL, updated_at integer NOT NULL, ip_address text, user_agent text, user_id text NOT NULL REFERENCES user (id) ON DELETE cascade);
CREATE INDEX session_user_id ON session (user_id);
CREATE TABLE account (id text PRIMARY KEY NOT NULL, account_id text NOT NULL, provider_id text NOT NULL, user_id text NOT NULL REFERENCES user (id) ON DELETE cascade, access_token text, refresh_token text, id_token text, access_token_expires_at integer, refresh_token_expires_at integer, scope text, password text, created_at integer NOT NULL, updated_at integer NOT NULL);
CREATE INDEX account_user_id ON account (user_id);
CREATE TABLE verification (id text PRIMARY KEY NOT NULL, identifier text NOT NULL, value text NOT NULL, expires_at integer NOT NULL, created_at integer NOT NULL, updated_at integer NOT NULL);
CREATE INDEX verification_identifier ON verification (identifier);
CREATE TABLE journal_entry (id text PRIMARY KEY NOT NULL, user_id text NOT NULL, mood text NOT NULL, text text NOT NULL, prompt_id text, created_at integer NOT NULL);
CREATE INDEX journal_entry_user ON journal_entry (user_id, created_at, id);
