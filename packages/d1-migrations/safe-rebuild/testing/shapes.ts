const children = `CREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE);
CREATE TABLE post (id INTEGER PRIMARY KEY, author_id TEXT REFERENCES user (id) ON DELETE SET NULL);`
const childRows = `INSERT INTO session VALUES ('s1', 'u1'), ('s2', 'u2'), ('s3', 'u3');
INSERT INTO post VALUES (1, 'u1'), (2, NULL);`
const user = "CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT NOT NULL, n INTEGER);"
const users = "INSERT INTO user VALUES ('u1', 'a@x', 3), ('u2', 'b@x', 1), ('u3', 'c@x', 2);"

export type Shape = { schema: string; rows: string; file: string }

function shape({ schema = user, rows = users, more = "", after = "", ...file }): Shape {
  const { columns = "id TEXT PRIMARY KEY, email TEXT NOT NULL DEFAULT '', n INTEGER" } = file
  const { copy = "(id, email, n) SELECT id, email, n FROM user" } = file
  return {
    schema: `${schema}\n${children}\n${more}`,
    rows: `${rows}\n${childRows}`,
    file: `CREATE TABLE __new_user (${columns});
INSERT INTO __new_user ${copy};
DROP TABLE user;
ALTER TABLE __new_user RENAME TO user;
${after}`,
  }
}

const index = "CREATE INDEX user_n ON user (n); CREATE UNIQUE INDEX user_email ON user (email);"
const trigger =
  "CREATE TRIGGER counted AFTER UPDATE OF email ON user BEGIN UPDATE post SET id = id WHERE author_id = NEW.id; END;"
const numbered = {
  schema: "CREATE TABLE user (id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT, n INTEGER);",
  rows: "INSERT INTO user VALUES (90, 'z@x', 0); DELETE FROM user; INSERT INTO user VALUES (1, 'a@x', 3), (7, 'b@x', 1);",
}
function numberedChildren(text: string): string {
  return text
    .replaceAll("user_id TEXT", "user_id INTEGER")
    .replaceAll("author_id TEXT", "author_id INTEGER")
    .replace("('s1', 'u1'), ('s2', 'u2'), ('s3', 'u3')", "('s1', 1), ('s2', 7)")
    .replace("(1, 'u1')", "(1, 7)")
}

function withNumbers(base: Shape): Shape {
  return { ...base, schema: numberedChildren(base.schema), rows: numberedChildren(base.rows) }
}

/** As Prisma writes references. */
function following(base: Shape): Shape {
  const schema = base.schema.replaceAll(/ON DELETE (CASCADE|SET NULL)/g, "$& ON UPDATE CASCADE")
  return { ...base, schema }
}

const movedTrigger =
  "CREATE TRIGGER user_moved AFTER UPDATE OF user_id ON session BEGIN UPDATE post SET id = id + 10; END;"

/** Rebuilds of `user`, which `session` and `post` refer to, by what is special about each. */
export const shapes: Record<string, Shape> = {
  "a plain rebuild": shape({}),
  "indexes that the file makes again": shape({ more: index, after: index }),
  "indexes that the file does not name": shape({ more: index }),
  "a trigger that the file does not name": shape({ more: trigger }),
  "a trigger that the file makes again": shape({ more: trigger, after: trigger }),
  "a trigger that names a dropped column": shape({
    more: "CREATE TRIGGER told AFTER UPDATE ON user WHEN OLD.n <> NEW.n BEGIN SELECT 1; END;",
    columns: "id TEXT PRIMARY KEY, email TEXT NOT NULL",
    copy: "(id, email) SELECT id, email FROM user",
  }),
  "a view of the table": shape({ more: "CREATE VIEW mails AS SELECT email FROM user;" }),
  "a reference to itself": shape({
    schema:
      "CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT NOT NULL, n INTEGER, boss TEXT REFERENCES user (id) ON DELETE SET NULL);",
    rows: "INSERT INTO user VALUES ('u1', 'a@x', 3, NULL), ('u2', 'b@x', 1, 'u1'), ('u3', 'c@x', 2, 'u2');",
    columns:
      "id TEXT PRIMARY KEY, email TEXT NOT NULL DEFAULT '', n INTEGER, boss TEXT REFERENCES user (id) ON DELETE SET NULL",
    copy: "SELECT * FROM user",
  }),
  "a generated column": shape({
    columns: "id TEXT PRIMARY KEY, email TEXT NOT NULL, n INTEGER, twice INTEGER AS (n * 2) STORED",
  }),
  "collations, checks and STRICT": shape({
    columns:
      "id TEXT PRIMARY KEY, email TEXT NOT NULL COLLATE NOCASE, n INTEGER, CHECK (length(email) > 1)) STRICT; SELECT (1",
  }),
  "a key that a check forbids to move": shape({
    schema: user.replace("id TEXT PRIMARY KEY", "id TEXT PRIMARY KEY CHECK (length(id) = 2)"),
    columns:
      "id TEXT PRIMARY KEY CHECK (length(id) = 2), email TEXT NOT NULL DEFAULT '', n INTEGER",
  }),
  "a number that a check forbids to move": withNumbers(
    shape({
      schema: "CREATE TABLE user (id INTEGER PRIMARY KEY CHECK (id > 0), email TEXT, n INTEGER);",
      rows: "INSERT INTO user VALUES (1, 'a@x', 3), (7, 'b@x', 1);",
      columns: "id INTEGER PRIMARY KEY CHECK (id > 0), email TEXT DEFAULT '', n INTEGER",
    }),
  ),
  "a trigger that forbids to move the key": shape({
    more: "CREATE TRIGGER fixed BEFORE UPDATE OF id ON user BEGIN SELECT RAISE(ABORT, 'fixed'); END;",
  }),
  "numbers that are given once": withNumbers(
    shape({
      ...numbered,
      columns: "id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT DEFAULT '', n INTEGER",
    }),
  ),
  "numbers below zero": withNumbers(
    shape({
      schema: "CREATE TABLE user (id INTEGER PRIMARY KEY, email TEXT, n INTEGER);",
      rows: "INSERT INTO user VALUES (1, 'a@x', 3), (7, 'b@x', 1), (-4000000000000000000, 'low', 0);",
      columns: "id INTEGER PRIMARY KEY, email TEXT DEFAULT '', n INTEGER",
    }),
  ),
  "a copy that reads the table twice": shape({
    columns: "id TEXT PRIMARY KEY, email TEXT NOT NULL, n INTEGER, rank INTEGER",
    copy: "(id, email, n, rank) SELECT id, email, n, (SELECT count(*) FROM user AS o WHERE o.n < user.n) FROM user",
  }),
  "an index made before the table has its name": shape({
    after: "CREATE INDEX user_n ON user (n);",
    copy: "(id, email, n) SELECT id, email, n FROM user;\nCREATE UNIQUE INDEX user_email ON __new_user (email)",
  }),
  "a table under the name of the old one": shape({ more: "CREATE TABLE __old_user (a);" }),
  "references that follow the key": following(shape({})),
  "references to a number that follow the key": following(
    withNumbers(
      shape({
        ...numbered,
        columns: "id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT DEFAULT '', n INTEGER",
      }),
    ),
  ),
  "references that follow those that follow": following(
    shape({
      schema: `${user} CREATE TABLE grade (id TEXT PRIMARY KEY, user_id TEXT UNIQUE REFERENCES user (id) ON UPDATE CASCADE);
CREATE TABLE mark (user_id TEXT REFERENCES grade (user_id) ON UPDATE CASCADE);`,
      rows: `${users} INSERT INTO grade VALUES ('g1', 'u1'), ('g2', NULL); INSERT INTO mark VALUES ('u1');`,
    }),
  ),
  "references of two columns that follow the key": (() => {
    const plain = shape({
      more: "CREATE TABLE part (a TEXT, b INTEGER, FOREIGN KEY (a, b) REFERENCES user (id, n) ON UPDATE CASCADE);",
      schema: user.replace("n INTEGER)", "n INTEGER, UNIQUE (id, n))"),
      columns: "id TEXT PRIMARY KEY, email TEXT NOT NULL DEFAULT '', n INTEGER, UNIQUE (id, n)",
    })
    const parts = "INSERT INTO part VALUES ('u1', 3), ('u2', 1), ('moved:u', NULL), (NULL, 2);"
    return { ...plain, rows: `${plain.rows} ${parts}` }
  })(),
  "references to itself that follow the key": shape({
    schema: user.replace(
      "n INTEGER",
      "n INTEGER, boss TEXT REFERENCES user (id) ON UPDATE CASCADE",
    ),
    rows: "INSERT INTO user VALUES ('u1', 'a@x', 3, NULL), ('u2', 'b@x', 1, 'u1'), ('u3', 'c@x', 2, 'u2');",
    columns:
      "id TEXT PRIMARY KEY, email TEXT NOT NULL, n INTEGER, boss TEXT REFERENCES user (id) ON UPDATE CASCADE",
    copy: "SELECT * FROM user",
  }),
  "a trigger of what follows the key": following(shape({ more: movedTrigger })),
  "a trigger of what follows the key and is rebuilt": (() => {
    const plain = following(shape({ more: movedTrigger }))
    return {
      ...plain,
      file: `${plain.file}
CREATE TABLE __new_session (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE ON UPDATE CASCADE, n INTEGER);
INSERT INTO __new_session (id, user_id) SELECT id, user_id FROM session; DROP TABLE session; ALTER TABLE __new_session RENAME TO session;`,
    }
  })(),
  "references that are emptied with the key": (() => {
    const plain = shape({})
    return {
      ...plain,
      schema: plain.schema.replace("ON DELETE SET NULL", "ON DELETE SET NULL ON UPDATE SET NULL"),
    }
  })(),
  "a key of bytes": shape({
    schema: user.replace("id TEXT", "id BLOB"),
    columns: "id BLOB PRIMARY KEY, email TEXT NOT NULL DEFAULT '', n INTEGER",
  }),
  "a table without row numbers": shape({
    schema: user.replace("n INTEGER)", "n INTEGER) WITHOUT ROWID"),
    columns:
      "id TEXT PRIMARY KEY, email TEXT NOT NULL DEFAULT '', n INTEGER) WITHOUT ROWID; SELECT (1",
  }),
  "a reference to a unique column": (() => {
    const plain = shape({
      more: "CREATE TABLE login (mail TEXT REFERENCES user (email) ON DELETE CASCADE);",
      schema: user.replace("email TEXT NOT NULL", "email TEXT NOT NULL UNIQUE"),
      columns: "id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE DEFAULT '', n INTEGER",
    })
    return { ...plain, rows: `${plain.rows} INSERT INTO login VALUES ('a@x'), ('c@x');` }
  })(),
  "a reference of two columns": (() => {
    const plain = shape({
      more: "CREATE TABLE part (a TEXT, b INTEGER, FOREIGN KEY (a, b) REFERENCES user (id, n) ON DELETE CASCADE);",
      schema: user.replace("n INTEGER)", "n INTEGER, UNIQUE (id, n))"),
      columns: "id TEXT PRIMARY KEY, email TEXT NOT NULL DEFAULT '', n INTEGER, UNIQUE (id, n)",
    })
    return { ...plain, rows: `${plain.rows} INSERT INTO part VALUES ('u1', 3), ('u2', 1);` }
  })(),
  "a copy that filters": shape({
    copy: "(id, email, n) SELECT id, email, n FROM user WHERE n > 1",
  }),
  "a copy that forgets a column": shape({ copy: "(id, email) SELECT id, email FROM user" }),
  "a copy under another name": shape({
    copy: "(id, email, n) SELECT u.id, u.email, u.n FROM user AS u",
  }),
  "a column under a new name": shape({
    columns: "id TEXT PRIMARY KEY, mail TEXT NOT NULL, n INTEGER",
    copy: "(id, mail, n) SELECT id, email, n FROM user",
  }),
  "comments and other quotes": shape({
    copy: '/* all */ (id, email, n)\n-- of them\nselect "user"."id", `email`, [n] from main."user"',
  }),
  "a chain of two": (() => {
    const plain = shape({})
    return {
      ...plain,
      schema: `${plain.schema} CREATE TABLE comment (id TEXT PRIMARY KEY, post_id INTEGER NOT NULL REFERENCES post (id) ON DELETE CASCADE);`,
      rows: `${plain.rows} INSERT INTO comment VALUES ('c1', 1), ('c2', 2);`,
      file: `${plain.file}
CREATE TABLE __new_post (id INTEGER PRIMARY KEY, author_id TEXT REFERENCES user (id) ON DELETE SET NULL, title TEXT);
INSERT INTO __new_post (id, author_id) SELECT id, author_id FROM post; DROP TABLE post; ALTER TABLE __new_post RENAME TO post;`,
    }
  })(),
  "values of every kind": (() => {
    const plain = shape({
      schema: "CREATE TABLE user (id TEXT PRIMARY KEY, email, n);",
      columns: "id TEXT PRIMARY KEY, email, n",
    })
    return {
      ...plain,
      rows: plain.rows
        .replace("'a@x', 3", "x'00ff', 9007199254740993")
        .replace("'b@x', 1", "1.5, '007'")
        .replace("'c@x', 2", "NULL, ' é '"),
    }
  })(),
}
