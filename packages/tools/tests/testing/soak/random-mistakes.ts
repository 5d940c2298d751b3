import { type Copy, isOptional, nullableIn, ownOf, sameKind } from "./random-copy.ts"
import { type Kind, pick, type Random } from "./random-schema.ts"

type Mistake = {
  name: string
  fits: (copy: Copy) => boolean
  make: (copy: Copy, random: Random) => void
}

function expression(name: string, kinds: Kind[], forms: ((column: string) => string)[]): Mistake {
  return {
    name,
    fits: (copy) => ownOf(copy, kinds).length > 0,
    make: (copy, random) => {
      const column = pick(random, ownOf(copy, kinds))
      column.from = pick(random, forms)(column.name)
    },
  }
}

function filter(name: string, form: (copy: Copy, random: Random) => string): Mistake {
  return {
    name,
    fits: (copy) => copy.tail === "" && nullableIn(copy).length > 0 && ownOf(copy).length > 0,
    make: (copy, random) => void (copy.tail = ` ${form(copy, random)}`),
  }
}

function withoutRule(name: string, rule: RegExp): Mistake {
  return {
    name,
    fits: ({ target }) => target.columns.some(({ rules }) => rule.test(rules)),
    make: (copy) => {
      copy.target = {
        ...copy.target,
        columns: copy.target.columns.map((column) => ({
          ...column,
          rules: column.rules.replace(rule, ""),
        })),
      }
    },
  }
}

export const mistakes: Mistake[] = [
  {
    name: "a column is forgotten",
    fits: (copy) => ownOf(copy).some(({ name }) => isOptional(copy, name)),
    make: (copy, random) => {
      const { name } = pick(
        random,
        ownOf(copy).filter((candidate) => isOptional(copy, candidate.name)),
      )
      copy.columns = copy.columns.filter((column) => column.name !== name)
    },
  },
  {
    name: "two columns are swapped",
    fits: (copy) => sameKind(copy) !== undefined,
    make: (copy) => {
      const [first, second] = sameKind(copy) ?? []
      if (first === undefined || second === undefined) return
      ;[first.from, second.from] = [second.from, first.from]
    },
  },
  {
    name: "a column is copied twice",
    fits: (copy) => sameKind(copy) !== undefined,
    make: (copy) => {
      const [first, second] = sameKind(copy) ?? []
      if (first !== undefined && second !== undefined) first.from = second.from
    },
  },
  expression(
    "text changes",
    ["text"],
    [
      (c) => `substr(${c}, 1, 2)`,
      (c) => `trim(${c})`,
      (c) => `lower(${c})`,
      (c) => `upper(${c}) || '!'`,
      (c) => `replace(${c}, 'a', 'o')`,
      (c) => `coalesce(${c}, '') || id`,
      (c) => `nullif(${c}, '')`,
      (c) => `hex(${c})`,
      (c) => `CASE WHEN length(${c}) > 3 THEN 'long' ELSE ${c} END`,
      (c) =>
        `(SELECT max(${c}) FROM owner_of_none)`
          .replace("owner_of_none", "log, item AS i")
          .replace(`max(${c})`, `max(i.id)`),
    ],
  ),
  expression(
    "numbers change",
    ["integer"],
    [
      (c) => `${c} + 1`,
      (c) => `abs(${c})`,
      (c) => `min(${c}, 100)`,
      (c) => `${c} / 2`,
      (c) => `CAST(${c} AS REAL) * 1.5`,
      (c) => `random()`.concat(`+ 0 * ${c}`),
      (c) => `${c} IS NOT NULL`,
      (c) => `sum(${c}) OVER ()`,
    ],
  ),
  expression(
    "fractions change",
    ["real"],
    [(c) => `round(${c})`, (c) => `CAST(${c} AS INTEGER)`, (c) => `-${c}`],
  ),
  expression("a constant is written", ["text", "integer", "real"], [() => "1", () => "'same'"]),
  filter(
    "rows with NULL stay behind",
    (copy, random) => `WHERE ${pick(random, nullableIn(copy)).name} IS NOT NULL`,
  ),
  filter(
    "rows stay behind by a value",
    (copy, random) =>
      `WHERE ${pick(random, ownOf(copy)).name} ${pick(random, ["<> 1", "<> ''", "> 5", "NOT IN ('x', 0)", "BETWEEN 0 AND 100", "NOT LIKE '%e%'"])}`,
  ),
  filter(
    "rows stay behind by two values",
    (copy, random) =>
      `WHERE ${pick(random, nullableIn(copy)).name} IS NOT NULL ${pick(random, ["AND", "OR"])} ${pick(random, ownOf(copy)).name} > 0`,
  ),
  filter(
    "rows stay behind by a function",
    (copy, random) => `WHERE length(${pick(random, ownOf(copy)).name}) > 2`,
  ),
  filter("rows stay behind by a limit", (_, random) =>
    pick(random, [
      "LIMIT 10",
      "LIMIT 200",
      "LIMIT -1 OFFSET 1",
      "ORDER BY id LIMIT (SELECT count(*) - 1 FROM item)",
    ]),
  ),
  filter("rows are grouped", (copy, random) => `GROUP BY ${pick(random, ownOf(copy)).name}`),
  filter("rows stay behind by a subselect", (copy, random) =>
    pick(random, [
      `WHERE id IN (SELECT id FROM ${copy.table.name} WHERE ${pick(random, nullableIn(copy)).name} IS NOT NULL)`,
      "WHERE EXISTS (SELECT 1 FROM log WHERE log.at = 2)",
      `WHERE id <> (SELECT max(id) FROM ${copy.table.name})`,
      "WHERE id NOT IN (SELECT msg FROM log WHERE msg IS NOT NULL)",
    ]),
  ),
  {
    name: "equal rows are ignored",
    fits: (copy) => ownOf(copy, ["text", "integer"]).length > 0,
    make: (copy, random) => {
      copy.verb = pick(random, ["INSERT OR IGNORE INTO", "INSERT OR REPLACE INTO", "REPLACE INTO"])
      const { name } = pick(random, ownOf(copy, ["text", "integer"]))
      copy.target = { ...copy.target, checks: [...copy.target.checks, `UNIQUE (${name})`] }
    },
  },
  {
    name: "rows that break a new rule are ignored",
    fits: (copy) => ownOf(copy, ["text", "integer"]).length > 0,
    make: (copy, random) => {
      copy.verb = "INSERT OR IGNORE INTO"
      const { name } = pick(random, ownOf(copy, ["text", "integer"]))
      copy.target = {
        ...copy.target,
        checks: [
          ...copy.target.checks,
          `CHECK (${pick(random, [`${name} IS NOT NULL`, `length(${name}) < 6`, `${name} > 0`])})`,
        ],
      }
    },
  },
  {
    name: "a type converts values",
    fits: (copy) => copy.target.suffix !== " STRICT" && ownOf(copy, ["text", "integer"]).length > 0,
    make: (copy, random) => {
      const { name } = pick(random, ownOf(copy, ["text", "integer"]))
      copy.target = {
        ...copy.target,
        columns: copy.target.columns.map((column) =>
          column.name === name
            ? {
                ...column,
                type:
                  column.kind === "text"
                    ? pick(random, ["INTEGER", "NUMERIC", "date"])
                    : pick(random, ["TEXT", "REAL"]),
              }
            : column,
        ),
      }
    },
  },
  {
    name: "an index or trigger is forgotten",
    fits: ({ target }) => target.objects.some((sql) => !sql.includes("log")),
    make: (copy) => void (copy.target = { ...copy.target, objects: [] }),
  },
  withoutRule(
    "a reference is forgotten",
    / REFERENCES \w+ \(id\)(?: ON DELETE (?:CASCADE|SET NULL))?/,
  ),
  withoutRule("an action is forgotten", / ON DELETE (?:CASCADE|SET NULL)/),
  withoutRule("a default is forgotten", / DEFAULT (?:'none'|7)/),
  withoutRule("a check is forgotten", / CHECK \(\w+ > -1000\)/),
  withoutRule("a collation is forgotten", / COLLATE NOCASE/),
  withoutRule("the primary key is forgotten", / PRIMARY KEY(?: AUTOINCREMENT)?/),
]
