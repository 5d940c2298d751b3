/** The effect on rows of other tables when the file is sent to D1 unchanged. */
type Outcome = "keeps" | "loses" | "fails"

export type Hazard = {
  title: string
  sql: string
  onD1: Outcome
  /** Statements before the file, beside `hazardSchema`. */
  given?: string
}

/** Tables with references through cascades, SET NULL and SET DEFAULT. */
export const hazardSchema = `
CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, plan TEXT NOT NULL CHECK (plan IN ('free')));
CREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE);
CREATE TABLE result (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user ON DELETE CASCADE, lite TEXT CHECK (json_valid(lite)));
CREATE TABLE payment (id INTEGER PRIMARY KEY, result_id TEXT NOT NULL REFERENCES result (id) ON DELETE CASCADE);
CREATE TABLE audit (id TEXT PRIMARY KEY, actor_id TEXT REFERENCES user (id) ON DELETE SET NULL);
CREATE TABLE usage (user_id TEXT, month TEXT, PRIMARY KEY (user_id, month), FOREIGN KEY (user_id) REFERENCES user (id) ON DELETE CASCADE) WITHOUT ROWID;
CREATE TABLE theme (id INTEGER PRIMARY KEY, colour TEXT);
CREATE TABLE page (id TEXT PRIMARY KEY, theme_id INTEGER DEFAULT 1 REFERENCES theme (id) ON DELETE SET DEFAULT);
CREATE TABLE category (id TEXT PRIMARY KEY, parent_id TEXT REFERENCES category (id) ON DELETE CASCADE);
`

export const hazardRows = `
INSERT INTO user VALUES ('u1', 'ada@example.com', 'free'), ('u2', 'bob@example.com', 'free');
INSERT INTO session VALUES ('s1', 'u1'), ('s2', 'u2');
INSERT INTO result VALUES ('r1', 'u1', '{}');
INSERT INTO payment VALUES (1, 'r1');
INSERT INTO audit VALUES ('a1', 'u1');
INSERT INTO usage VALUES ('u1', '2026-11');
INSERT INTO theme VALUES (1, 'blue'), (2, 'red');
INSERT INTO page VALUES ('p1', 2);
INSERT INTO category VALUES ('c1', NULL), ('c2', 'c1');
`

const newUser =
  "(id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, plan TEXT NOT NULL CHECK (plan IN ('free')))"

/** As drizzle-kit 0.31 writes it. */
const rebuildUser = `CREATE TABLE \`__new_user\` ${newUser};
--> statement-breakpoint
INSERT INTO \`__new_user\`("id", "email", "plan") SELECT "id", "email", "plan" FROM \`user\`;--> statement-breakpoint
DROP TABLE \`user\`;--> statement-breakpoint
ALTER TABLE \`__new_user\` RENAME TO \`user\`;--> statement-breakpoint
`

const noActionChild = "CREATE TABLE note (id TEXT PRIMARY KEY, user_id TEXT REFERENCES user (id));"
const noActionRow = "INSERT INTO note VALUES ('n1', 'u1');"

export const hazards: Hazard[] = [
  {
    title: "drizzle-kit's rebuild of a table with children",
    sql: `PRAGMA foreign_keys=OFF;--> statement-breakpoint\n${rebuildUser}PRAGMA foreign_keys=ON;`,
    onD1: "loses",
  },
  {
    title: "the same with deferred foreign keys, as Cloudflare advises",
    sql: `PRAGMA defer_foreign_keys=ON;\n${rebuildUser}`,
    onD1: "loses",
  },
  {
    title: "the same with deferred foreign keys that are switched off at the end",
    sql: `PRAGMA defer_foreign_keys = on;\n${rebuildUser}PRAGMA defer_foreign_keys = OFF;`,
    onD1: "loses",
  },
  {
    title: "a drop in mixed case, with quotes and comments",
    sql: "/* tidy */ dRoP -- up\n TABLE/**/if  EXISTS main.[USER] ;",
    onD1: "loses",
  },
  {
    title: "a drop without a rebuild",
    sql: "DROP TABLE user",
    onD1: "loses",
  },
  {
    title: "the parent renamed, rebuilt under its name, and the old one dropped",
    sql: `ALTER TABLE user RENAME TO user_old; CREATE TABLE user ${newUser};
INSERT INTO user SELECT * FROM user_old; DROP TABLE user_old;`,
    onD1: "loses",
  },
  {
    title: "a rebuild of what only SET NULL refers to",
    given: `CREATE TABLE admin (id TEXT PRIMARY KEY);
CREATE TABLE decision (id TEXT PRIMARY KEY, admin_id TEXT REFERENCES admin (id) ON DELETE SET NULL);`,
    sql: `INSERT INTO admin VALUES ('m1'); INSERT INTO decision VALUES ('d1', 'm1');
CREATE TABLE __new_admin (id TEXT PRIMARY KEY, name TEXT); INSERT INTO __new_admin (id) SELECT id FROM admin;
DROP TABLE admin; ALTER TABLE __new_admin RENAME TO admin;`,
    onD1: "loses",
  },
  {
    title: "rows put back to which SET DEFAULT refers",
    sql: `PRAGMA defer_foreign_keys = ON;
CREATE TABLE kept AS SELECT * FROM theme; DELETE FROM theme;
INSERT INTO theme SELECT * FROM kept; DROP TABLE kept;`,
    onD1: "loses",
  },
  {
    title: "rows deleted and put back",
    sql: "CREATE TABLE kept AS SELECT * FROM user; DELETE FROM user; INSERT INTO user SELECT * FROM kept; DROP TABLE kept;",
    onD1: "loses",
  },
  {
    title: "rows replaced by themselves",
    sql: "INSERT OR REPLACE INTO user SELECT id, lower(email), plan FROM user;",
    onD1: "loses",
  },
  {
    title: "a rebuild in the middle of a chain",
    sql: `CREATE TABLE __new_result (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, lite TEXT);
INSERT INTO __new_result SELECT * FROM result; DROP TABLE result; ALTER TABLE __new_result RENAME TO result;`,
    onD1: "loses",
  },
  {
    title: "a rebuild of a table that refers to itself",
    sql: `CREATE TABLE __new_category (id TEXT PRIMARY KEY, parent_id TEXT REFERENCES category (id) ON DELETE CASCADE, name TEXT);
INSERT INTO __new_category (id, parent_id) SELECT id, parent_id FROM category;
DROP TABLE category; ALTER TABLE __new_category RENAME TO category;`,
    onD1: "loses",
  },
  {
    title: "children that are rebuilt after their parent",
    sql: `${rebuildUser}
CREATE TABLE __new_session (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE);
INSERT INTO __new_session SELECT * FROM session; DROP TABLE session; ALTER TABLE __new_session RENAME TO session;`,
    onD1: "loses",
  },
  {
    title: "some children put back, others forgotten",
    sql: `CREATE TABLE kept_session AS SELECT * FROM session;\n${rebuildUser}
INSERT INTO session SELECT * FROM kept_session; DROP TABLE kept_session;`,
    onD1: "loses",
  },
  {
    title: "a rebuild under a child that does nothing on delete",
    given: noActionChild,
    sql: `${noActionRow}\n${rebuildUser}`,
    onD1: "fails",
  },
  {
    title: "the same, deferred",
    given: `CREATE TABLE topic (id TEXT PRIMARY KEY); CREATE TABLE remark (topic_id TEXT REFERENCES topic (id));`,
    sql: `INSERT INTO topic VALUES ('t1'); INSERT INTO remark VALUES ('t1');
PRAGMA defer_foreign_keys = ON; CREATE TABLE __new_topic (id TEXT PRIMARY KEY);
INSERT INTO __new_topic SELECT * FROM topic; DROP TABLE topic; ALTER TABLE __new_topic RENAME TO topic;`,
    onD1: "fails",
  },
  {
    title: "a restricted drop",
    given: `CREATE TABLE topic (id TEXT PRIMARY KEY); CREATE TABLE remark (topic_id TEXT REFERENCES topic (id) ON DELETE RESTRICT);`,
    sql: "INSERT INTO topic VALUES ('t1'); INSERT INTO remark VALUES ('t1'); DROP TABLE topic;",
    onD1: "fails",
  },
  {
    title: "new tables, columns and indexes",
    sql: `CREATE TABLE fresh (id TEXT PRIMARY KEY, user_id TEXT REFERENCES user (id) ON DELETE CASCADE);
ALTER TABLE user ADD COLUMN image TEXT; CREATE INDEX session_user ON session (user_id);
ALTER TABLE theme RENAME COLUMN colour TO color;`,
    onD1: "keeps",
  },
  {
    title: "a rebuild of a table that nothing refers to",
    sql: `PRAGMA foreign_keys=OFF;
CREATE TABLE __new_session (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, FOREIGN KEY (user_id) REFERENCES user (id) ON DELETE cascade);
INSERT INTO __new_session SELECT * FROM session; DROP TABLE session; ALTER TABLE __new_session RENAME TO session;
PRAGMA foreign_keys=ON;`,
    onD1: "keeps",
  },
  {
    title: "children saved and put back",
    given:
      "CREATE TABLE room (id TEXT PRIMARY KEY); CREATE TABLE chair (id TEXT, room_id TEXT REFERENCES room (id) ON DELETE CASCADE);",
    sql: `INSERT INTO room VALUES ('o1'); INSERT INTO chair VALUES ('h1', 'o1');
CREATE TABLE __backup_chair AS SELECT * FROM chair; CREATE TABLE __new_room (id TEXT PRIMARY KEY, name TEXT);
INSERT INTO __new_room (id) SELECT id FROM room; DROP TABLE room; ALTER TABLE __new_room RENAME TO room;
INSERT INTO chair SELECT * FROM __backup_chair; DROP TABLE __backup_chair;`,
    onD1: "keeps",
  },
  {
    title: "children moved to the new parent before the old one goes",
    given:
      "CREATE TABLE room (id TEXT PRIMARY KEY); CREATE TABLE chair (id TEXT, room_id TEXT REFERENCES room (id) ON DELETE CASCADE);",
    sql: `INSERT INTO room VALUES ('o1'); INSERT INTO chair VALUES ('h1', 'o1');
CREATE TABLE __new_room (id TEXT PRIMARY KEY, name TEXT); INSERT INTO __new_room (id) SELECT id FROM room;
CREATE TABLE __new_chair (id TEXT, room_id TEXT REFERENCES __new_room (id) ON DELETE CASCADE);
INSERT INTO __new_chair SELECT * FROM chair; DROP TABLE chair; DROP TABLE room;
ALTER TABLE __new_room RENAME TO room; ALTER TABLE __new_chair RENAME TO chair;`,
    onD1: "keeps",
  },
  {
    title: "the keys moved away before the drop",
    sql: `PRAGMA defer_foreign_keys = ON; CREATE TABLE __old_user AS SELECT * FROM user;
UPDATE user SET id = 'moved:' || id; DROP TABLE user; CREATE TABLE user ${newUser};
INSERT INTO user SELECT * FROM __old_user; DROP TABLE __old_user;`,
    onD1: "keeps",
  },
  {
    title: "children dropped before their parent",
    sql: "DROP TABLE payment; DROP TABLE result;",
    onD1: "keeps",
  },
  {
    title: "a parent dropped before its children, which go as well",
    sql: "DROP TABLE result; DROP TABLE payment;",
    onD1: "keeps",
  },
  {
    title: "a parent rebuilt after a DELETE of its children's rows",
    sql: `DELETE FROM payment; CREATE TABLE __new_result (id TEXT PRIMARY KEY, user_id TEXT);
INSERT INTO __new_result SELECT id, user_id FROM result; DROP TABLE result; ALTER TABLE __new_result RENAME TO result;`,
    onD1: "loses",
  },
  {
    title: "rows deleted for good, with what belongs to them",
    sql: "DELETE FROM user WHERE email LIKE 'ada@%';",
    onD1: "loses",
  },
  {
    title: "a drop that is quoted, commented, or of nothing",
    sql: `SELECT 'DROP TABLE user;'; -- DROP TABLE user;
DROP TABLE IF EXISTS missing; CREATE VIEW everyone AS SELECT * FROM user; DROP VIEW everyone;
CREATE TRIGGER on_page AFTER DELETE ON page BEGIN DELETE FROM theme WHERE id = OLD.theme_id; END;`,
    onD1: "keeps",
  },
  {
    title: "a statement that D1 refuses before a drop",
    sql: "PRAGMA writable_schema = ON; DROP TABLE user;",
    onD1: "fails",
  },
]
