import { literal } from "../../sql/literal.ts"

/** A schema with rows that people have made, and a file that changes it, rightly or not. */
export type RandomFile = {
  /** The file before it, with rows of its own. */
  earlier: string
  /** Written by people since. */
  rows: string
  sql: string
  /** Columns of `item` that are in `moved` afterwards. */
  moved: string[]
}

type Random = () => number
type Draw = <Value>(list: Value[]) => Value

const actions = ["CASCADE", "SET NULL", "NO ACTION", "RESTRICT"]
const columns = ["a", "b", "n", "r", "j"]

export function randomFile(random: Random): RandomFile {
  const draw: Draw = (list) => {
    const value = list[Math.floor(random() * list.length)]
    if (value === undefined) throw new Error("nothing to draw from")
    return value
  }
  const chance = (share: number) => random() < share
  const key = draw(["id TEXT PRIMARY KEY", "id TEXT PRIMARY KEY", "id TEXT NOT NULL"])
  const without = key.includes("PRIMARY") && chance(0.25) ? " WITHOUT ROWID" : ""
  const isKeyed = key.includes("PRIMARY")
  const collate = chance(0.3) ? " COLLATE NOCASE" : ""
  const wide = chance(0.1) ? Array.from({ length: 50 }, (_, index) => `w${index} TEXT`) : []
  const definitions = `${key}, a TEXT${collate}, b TEXT, n INTEGER, r REAL, j TEXT`
  const unique = chance(0.4) ? ", u TEXT UNIQUE" : ", u TEXT"
  const body = (rules = "") => `(${[definitions + unique, ...wide].join(", ")}${rules})${without}`
  const child = isKeyed
    ? `item TEXT REFERENCES item (id) ON DELETE ${draw(actions)} ON UPDATE ${draw(actions)}`
    : "item TEXT"
  const length = draw([3, 40, 300, 1000])
  const trigger = draw([
    "",
    "",
    `CREATE TRIGGER tell AFTER UPDATE ON item WHEN length(NEW.a) > ${length} BEGIN ${draw(["DELETE FROM child WHERE item = NEW.id", "UPDATE child SET t = trim(t) WHERE item = NEW.id", "UPDATE docs SET body = '' WHERE rowid = 1"])}; END;`,
    `CREATE TRIGGER guard BEFORE INSERT ON item WHEN length(NEW.a) > ${length} BEGIN SELECT RAISE(IGNORE); END;`,
  ])
  const earlier = `CREATE TABLE item ${body()};
CREATE TABLE child (id INTEGER PRIMARY KEY, ${child}, t TEXT);
CREATE TABLE other (id TEXT, a TEXT, u TEXT);
CREATE VIRTUAL TABLE docs USING fts5(title, body);
CREATE VIEW shown AS SELECT * FROM item WHERE a IS NULL OR length(a) <= ${length};
INSERT INTO item (id, a, b, n, r, j, u) VALUES ('s1', 'seed', 'one', 1, 1.5, '{"k":1}', 'us1'), ('s2', 'seed', 'two', 2, 2.5, '{"k":2}', 'us2');
${trigger}`
  const text = () =>
    draw([
      "NULL",
      "''",
      "'word'",
      "' Word '",
      "'Ärger'",
      "'007'",
      "'x' || char(13, 10) || 'y'",
      `hex(zeroblob(${draw([10, 200, 700])}))`,
      chance(0.3) ? "x'00ff'" : "'plain'",
      literal(`text ${Math.floor(random() * 9)}`),
    ])
  const number = () => draw(["NULL", "0", "7", "-3", "9007199254740993", "55"])
  const json = () => draw([`'{"k":5}'`, `'{"k":"v","l":[1,2]}'`, "'[1,2,3]'", "NULL"])
  const items = Array.from({ length: 8 }, (_, index) => {
    const id = literal(`${draw(["k", "K"])}${index}`)
    return `INSERT INTO item (id, a, b, n, r, j, u) VALUES (${id}, ${text()}, ${text()}, ${number()}, ${draw(["NULL", "1.25", "3.0", "0.1"])}, ${json()}, 'u${index}');
INSERT INTO child SELECT ${index}, id, ${text()} FROM item WHERE id = ${id};`
  })
  const edited = draw([
    "",
    "UPDATE item SET b = 'edited' WHERE id = 's1';",
    "DELETE FROM child; DELETE FROM item WHERE id = 's2'; INSERT INTO item (id, a) VALUES ('s2', 'mine');",
  ])
  const rows = `${items.join("\n")}
INSERT INTO other VALUES ('k1', 'other', 'u2'), ('k9', NULL, 'u9'), ('K2', 'more', NULL);
INSERT INTO docs VALUES ('one', 'first text'), ('two', hex(zeroblob(400)));
${edited}`

  const changed = (name: string): string =>
    draw([
      name,
      `trim(${name})`,
      `lower(${name})`,
      `coalesce(${name}, '')`,
      `lower(trim(coalesce(${name}, '')))`,
      `nullif(${name}, '')`,
      `upper(${name})`,
      `substr(coalesce(${name}, ''), 1, ${length})`,
      `replace(${name}, char(13), '')`,
      `iif(length(${name}) > ${length}, NULL, ${name})`,
      `CAST(coalesce(${name}, '') AS TEXT)`,
      `ltrim(${name}, ' 0')`,
      `(SELECT max(trim(${name})) FROM item)`,
    ])
  const changedIn = (name: string) =>
    name === "n"
      ? draw(["n", "coalesce(n, 0)", "n + 0", "CAST(n AS REAL)", "n % 10", "abs(n)"])
      : name === "r"
        ? draw(["r", "round(r)", "coalesce(r, 0.0)", "CAST(r AS INTEGER)"])
        : name === "j"
          ? draw([
              "j",
              "json(j)",
              "json_set(j, '$.v', 1)",
              "coalesce(j, '{}')",
              "json_extract(j, '$.k')",
            ])
          : changed(name)
  const condition = () =>
    draw([
      "a IS NULL",
      `length(a) > ${length}`,
      `length(b) <= ${length}`,
      "hex(a) LIKE 'C3%'",
      "n > 5 AND b = 'word'",
      "typeof(a) = 'blob'",
      "json_array_length(j) > 2",
      "id IN ('s1', 's2')",
      "a <> b OR n IS NULL",
      "id IN (SELECT id FROM other)",
      "r = round(r)",
    ])
  const moved: string[] = []
  const statement = (): string => {
    const name = draw(columns)
    const letters = draw(["a", "b"])
    const filter = chance(0.35) ? ` WHERE ${condition()}` : ""
    const kind = Math.floor(random() * 11)
    if (kind <= 1) return `UPDATE item SET ${name} = ${changedIn(name)}${filter};`
    if (kind <= 4) {
      const check = chance(0.4)
        ? draw([
            `, CHECK (length(a) <= ${length})`,
            ", CHECK (j IS NULL OR json_valid(j))",
            ", CHECK (n IS NULL OR n BETWEEN -10 AND 100000000000000000)",
            ", CHECK (b IS NULL OR typeof(b) IN ('text', 'blob'))",
          ])
        : ""
      const conflict = check !== "" && chance(0.4) ? draw([" OR IGNORE", " OR REPLACE"]) : ""
      const odd = chance(0.5) ? name : ""
      const list = columns.map((column) => (column === odd ? changedIn(column) : column))
      const rest = wide.map((column) => column.split(" ")[0])
      const source = chance(0.15) ? "shown" : "item"
      const from = chance(0.1)
        ? `${source} AS i LEFT JOIN other AS o ON o.id = lower(i.id)`
        : source
      const copiedColumns = ["id", ...list, "u", ...rest]
      const select = from.includes("JOIN")
        ? copiedColumns.map((column) => (/^\w+$/.test(column ?? "") ? `i.${column}` : "NULL"))
        : copiedColumns
      return `CREATE TABLE new_item ${body(check)};
INSERT${conflict} INTO new_item (id, a, b, n, r, j, u${rest.map((column) => `, ${column}`).join("")}) SELECT ${select.join(", ")} FROM ${from}${from.includes("JOIN") ? "" : filter};
DROP VIEW shown; DROP TABLE item; ALTER TABLE new_item RENAME TO item; CREATE VIEW shown AS SELECT * FROM item;
${trigger.includes("ON item") ? trigger : ""}`
    }
    if (kind === 5) {
      moved.push(letters)
      return `-- d1:moves item.${letters} to moved.${letters}: it has a table of its own
DROP VIEW shown; CREATE TABLE moved (id TEXT PRIMARY KEY, ${letters} TEXT${chance(0.3) ? ` CHECK (length(${letters}) <= ${length})` : ""});
INSERT${chance(0.4) ? " OR IGNORE" : ""} INTO moved SELECT id, ${chance(0.5) ? letters : changed(letters)} FROM item${chance(0.5) ? ` WHERE ${letters} IS NOT NULL` : filter};
${trigger.includes("NEW.a") ? `DROP TRIGGER ${trigger.split(" ")[2]};` : ""} ALTER TABLE item DROP COLUMN ${letters}; CREATE VIEW shown AS SELECT * FROM item;`
    }
    if (kind === 6) return `DELETE FROM item WHERE ${condition()};`
    if (kind === 7) {
      return draw([
        "REPLACE INTO item (id, a, u) SELECT id, a, u FROM other;",
        "REPLACE INTO item (id, a, u) VALUES ('k3', 'mine', 'u4');",
        "UPDATE OR REPLACE item SET u = lower(u), id = lower(id);",
        "UPDATE item SET a = o.a FROM other AS o WHERE o.id = item.id;",
      ])
    }
    if (kind === 8) {
      return draw([
        "UPDATE docs SET body = trim(body);",
        `UPDATE docs SET body = substr(body, 1, ${length});`,
        "DELETE FROM docs WHERE length(body) > 500;",
        "CREATE VIRTUAL TABLE d2 USING fts5(title, body); INSERT INTO d2 (rowid, title, body) SELECT rowid, title, body FROM docs; DROP TABLE docs; ALTER TABLE d2 RENAME TO docs;",
        `CREATE VIRTUAL TABLE d2 USING fts5(title, body); INSERT INTO d2 (rowid, title, body) SELECT rowid, title, body FROM docs WHERE length(body) <= ${length}; DROP TABLE docs; ALTER TABLE d2 RENAME TO docs;`,
      ])
    }
    if (kind === 9) {
      const rest = draw(["", "", ` OR length(${letters}) > ${length}`])
      return `UPDATE item SET ${letters} = 'given' WHERE id = ${draw(["'k3'", "'K3'"])}${rest};`
    }
    return draw([
      "ALTER TABLE item ADD COLUMN z TEXT AS (j ->> '$.k');",
      "UPDATE item SET id = lower(id);",
      "ALTER TABLE item ADD COLUMN flag INTEGER NOT NULL DEFAULT 0; UPDATE item SET flag = 1 WHERE n > 5;",
      "INSERT INTO item (id, a, u) VALUES ('k77', 'new', 'u77');",
      "CREATE INDEX item_k ON item (json_extract(j, '$.k'));",
      "DELETE FROM child WHERE item NOT IN (SELECT id FROM item);",
      `CREATE VIEW pairs AS SELECT id, a FROM item; CREATE TRIGGER pairs_write INSTEAD OF UPDATE ON pairs BEGIN UPDATE item SET a = NEW.a WHERE id = NEW.id; END;
UPDATE pairs SET a = ${changed("a")}; DROP VIEW pairs;`,
    ])
  }
  return { earlier, rows, sql: statement(), moved }
}
