import { traverse } from "sqlite3-parser"

import { analyzeFile } from "../analysis/analyze-file.ts"
import { createdBy, type ParsedStatement, parseScript } from "../analysis/parsed-script.ts"
import { type EarlierFile, schemaAfter } from "../lint/earlier-schema.ts"
import { isRefused, lintScript } from "../lint/lint.ts"
import { lossesOf } from "../lint/losses.ts"
import { type Names, usualNames } from "../names.ts"
import { checksIn, definitionOf } from "../parts/parts.ts"
import { findTable, isSameName, quoteName, readDefinitions, readSchema } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { movedKeys } from "./moved-keys.ts"
import { findRebuilds, type Rebuild } from "./rebuilds.ts"

type Edit = { statement: ParsedStatement; text: string }

/**
 * Rewrites each rebuild that would delete rows of other tables so that it keeps them, and recreates the triggers of
 * rebuilt tables. Returns the file unchanged if neither is needed. @throws Error if a rebuild cannot be made safe
 */
export function keepChildRows(
  sql: string,
  earlier: EarlierFile[],
  names: Names = usualNames,
): string {
  const { database: opened, problem } = schemaAfter(earlier)
  using database = opened
  if (problem !== undefined) throw new Error(problem)
  const rewritten = rewriteAll(database, sql)
  const whole = withTriggers(database, rewritten)
  if (rewritten === sql) return whole
  const fixed = `${head}${withEdits(whole, withoutPragmas(parseScript(whole)))}`
  const verdict = lintScript({ sql: fixed, earlier, names })
  if (!isRefused(verdict)) return fixed
  const problems = verdict.findings.filter(({ level }) => level === "error")
  throw new Error(problems.map(({ message }) => message).join("; "))
}

/** Rewrites one dangerous rebuild, then analyzes the result again: later statements may rebuild affected tables. */
function rewriteAll(database: ScratchDatabase, sql: string): string {
  const statements = parseScript(sql)
  const rebuilds = findRebuilds(statements)
  const deferred = `PRAGMA defer_foreign_keys = ON;\n${sql}`
  const [number] = findDangerous(database, deferred).map((statementNumber) => statementNumber - 1)
  if (number === undefined) return sql
  const rebuild = rebuilds.find(({ drop }) => drop.number === number)
  if (rebuild !== undefined) {
    const edits = rewrite(rebuild, statements, database)
    return rewriteAll(database, withEdits(sql, edits))
  }
  const line = statements[number - 1]?.line ?? 1
  throw new Error(
    `line ${line} takes rows of other tables, and is no rebuild of a table (CREATE, INSERT … SELECT, DROP, RENAME) that could be written in another way`,
  )
}

/** Recreates the triggers that a rebuild drops, unless the file creates them itself. */
function withTriggers(database: ScratchDatabase, sql: string): string {
  const statements = parseScript(sql)
  const everyTrigger = readDefinitions(database).filter(({ type }) => type === "trigger")
  const edits = findRebuilds(statements).flatMap(({ table, drop, rename }) => {
    const lost = everyTrigger.filter(
      (trigger) => isSameName(trigger.table, table) && !isMadeAfter(drop, trigger.name, statements),
    )
    const parts = [rename.sql, ...lost.map((trigger) => `${trigger.sql};`)]
    return lost.length === 0 ? [] : [{ statement: rename, text: parts.join(breakpoint) }]
  })
  return edits.length === 0 ? sql : withEdits(sql, edits)
}

const head = `-- Others refer to what is rebuilt here, and D1 would delete their rows with the old table: so its
-- keys move away first, and come back with the new one.
PRAGMA defer_foreign_keys = ON;--> statement-breakpoint
`

/**
 * Returns the numbers of the DROP statements that delete rows of other tables, or fail because of them.
 * @throws Error if the file fails with any rows
 */
function findDangerous(database: ScratchDatabase, sql: string): number[] {
  const analysis = analyzeFile(database, parseScript(sql))
  const dangerous = lossesOf(analysis).filter(
    ({ byReference, statement }) =>
      byReference === true && (analysis.steps[statement - 1]?.effect?.drops.length ?? 0) > 0,
  )
  const failed = analysis.steps.find(({ failure }) => failure !== undefined)
  if (failed !== undefined && dangerous.length === 0) {
    throw new Error(`the file fails: ${failed.failure}`)
  }
  return dangerous.map(({ statement }) => statement)
}

function rewrite(rebuild: Rebuild, statements: ParsedStatement[], database: ScratchDatabase) {
  const { table: name, temporary, create, copy, drop, rename } = rebuild
  const schema = readSchema(database)
  const table = findTable(schema, name)
  if (table === undefined) throw new Error(`${name} is not among the tables of the earlier files`)
  const keys = new Set(
    schema.flatMap(({ foreignKeys }) =>
      foreignKeys.filter((key) => isSameName(key.parent, name)).flatMap((key) => key.parentColumns),
    ),
  )
  const check = checksIn(definitionOf(database, name), name).find((condition) =>
    [...keys].some((key) => ` ${condition} `.includes(` ${key.toLowerCase()} `)),
  )
  if (check !== undefined) {
    throw new Error(`a check of ${name} may refuse the keys that are moved away: ${check}`)
  }
  const free = (preferred: string): string =>
    findTable(schema, preferred) === undefined ? preferred : free(`_${preferred}`)
  const [old, numbers] = [`__old_${name}`, `__sequence_${name}`].map(
    (prefixed) => `\`${free(prefixed)}\``,
  )
  const { away, back, followers } = movedKeys(table, schema)
  const definitions = readDefinitions(database)
  const triggers = definitions.filter(
    ({ type, table: on }) =>
      type === "trigger" && [name, ...followers].some((tableName) => isSameName(tableName, on)),
  )
  const indexes = definitions.filter(
    ({ type, table: on }) => type === "index" && isSameName(on, name),
  )
  // Leave definitions alone that the file itself creates again.
  const lost = [...indexes, ...triggers].filter(
    (definition) => !isMadeAfter(drop, definition.name, statements),
  )
  const counts = [create.sql, definitionOf(database, name).join(" ")].every((text) =>
    /\bautoincrement\b/i.test(text),
  )
  const prepared = [
    `CREATE TABLE ${old} AS SELECT * FROM \`${name}\`;`,
    ...(counts
      ? [`CREATE TABLE ${numbers} AS SELECT seq FROM sqlite_sequence WHERE name = '${name}';`]
      : []),
    ...triggers.map((trigger) => `DROP TRIGGER ${quoteName(trigger.name)};`),
    `UPDATE \`${name}\` SET ${away};`,
    ...back,
    `DROP TABLE \`${name}\`;`,
    underName(create, { temporary, name }),
  ]
  const counted = counts
    ? [
        `DELETE FROM sqlite_sequence WHERE name = '${name}';`,
        `INSERT INTO sqlite_sequence (name, seq) SELECT '${name}', seq FROM ${numbers};`,
        `DROP TABLE ${numbers};`,
      ]
    : []
  return [
    { statement: create, text: prepared.join(breakpoint) },
    { statement: copy, text: copyFrom(copy, { name, old: old ?? "" }) },
    { statement: drop, text: `DROP TABLE ${old};` },
    { statement: rename, text: [...counted, ...lost.map(({ sql }) => `${sql};`)].join(breakpoint) },
  ]
}

function isMadeAfter(drop: ParsedStatement, name: string, statements: ParsedStatement[]): boolean {
  return statements.some(
    ({ node, number }) => number > drop.number && node && createdBy(node)?.text === name,
  )
}

const breakpoint = "--> statement-breakpoint\n"

/** Returns CREATE TABLE with the final name. CHECK constraints may also contain the temporary name, in quotes. */
function underName(
  { sql, node }: ParsedStatement,
  { temporary, name }: { temporary: string; name: string },
): string {
  if (node?.type !== "CreateTableStmt") return sql
  const { offset, length } = node.tblName.objName.span
  const body = sql
    .slice(offset + length)
    .replaceAll(new RegExp(`(["\`[])${temporary}(["\`\\]])`, "g"), `$1${name}$2`)
  return `${sql.slice(0, offset)}\`${name}\`${body}`
}

function copyFrom({ sql, node }: ParsedStatement, { name, old }: { name: string; old: string }) {
  if (node?.type !== "InsertStmt" || node.body.type !== "SelectInsertBody") return sql
  const { select } = node.body.select
  const source = select.type === "SelectFrom" ? select.from?.select : undefined
  let times = 0
  traverse(node, {
    nodes: {
      TableSelectTable({ tblName: { objName } }) {
        if (isSameName(objName.text, name)) times += 1
      },
    },
  })
  if (source?.type !== "TableSelectTable" || times > 1) {
    // Any other read of the table would see the new table while the copy fills it.
    throw new Error(`the copy of ${name} does not read it plainly, and once`)
  }
  const into = node.tblName.objName.span
  const from = source.tblName.span
  const alias = source.alias === undefined ? ` AS \`${name}\`` : ""
  return (
    sql.slice(0, into.offset) +
    `\`${name}\`` +
    sql.slice(into.offset + into.length, from.offset) +
    old +
    alias +
    sql.slice(from.offset + from.length)
  )
}

/** Removes the foreign-key pragmas of the file: D1 ignores `foreign_keys`, and `head` sets `defer_foreign_keys`. */
function withoutPragmas(statements: ParsedStatement[]): Edit[] {
  return statements
    .filter(
      ({ node }) =>
        node?.type === "PragmaStmt" &&
        /^(?:foreign_keys|defer_foreign_keys)$/i.test(node.name.objName.text),
    )
    .map((statement) => ({ statement, text: "" }))
}

/** Replaces statements. Removing a statement also removes its breakpoint. */
function withEdits(sql: string, edits: Edit[]): string {
  let edited = sql
  const lastFirst = edits.toSorted((edit, second) => second.statement.start - edit.statement.start)
  for (const { statement, text } of lastFirst) {
    const end = statement.start + statement.sql.length
    const rest = edited.slice(end)
    const after =
      text === "" ? rest.replace(/^\s*(?:--> statement-breakpoint)?[ \t]*\n?/, "") : rest
    edited = edited.slice(0, statement.start) + text + after
  }
  return `${edited.trimEnd().replace(/\s*--> statement-breakpoint$/, "")}\n`
}
