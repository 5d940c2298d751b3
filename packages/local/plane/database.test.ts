import { existsSync } from "node:fs"

import { expect, test } from "vitest"

import { openPlane } from "./open-plane.ts"
import type { Statement } from "./plane.ts"
import { openTestPlane, serveVersion, versionSpec } from "./testing/test-plane.ts"

function statement(sql: string, ...params: Statement["params"]): Statement {
  return { sql, params }
}

test("a batch is applied as a whole or not at all", async () => {
  await using plane = await openTestPlane()
  await plane.openDatabase("main")
  await plane.query("main", [statement("CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)")])

  const twice = [
    statement("INSERT INTO note (id, body) VALUES (1, 'a')"),
    statement("INSERT INTO note (id, body) VALUES (1, 'b')"),
  ]
  await expect(plane.query("main", twice)).rejects.toThrow(/^UNIQUE constraint failed: note.id/)

  const [empty] = await plane.query("main", [statement("SELECT id, body, id FROM note")])
  expect(empty).toMatchObject({ columns: ["id", "body", "id"], rows: [] })
})

test("values come back as they went in", async () => {
  await using plane = await openTestPlane()
  await plane.openDatabase("main")
  const [result] = await plane.query("main", [
    statement("SELECT ?, ?, ?, ?, x'00ff'", null, "é", 1.5, true),
  ])
  expect(result?.rows).toEqual([[null, "é", 1.5, 1, [0, 255]]])

  const long = [statement("SELECT ?", "x".repeat(2_000_001))]
  await expect(plane.query("main", long)).rejects.toThrow("string or blob too big: SQLITE_TOOBIG")
})

test("a foreign key that fails at the commit is named in the error, over the API and in a Worker", async () => {
  await using plane = await openTestPlane()
  await plane.openDatabase("main")
  await plane.query("main", [
    statement("CREATE TABLE parent (id INTEGER PRIMARY KEY)"),
    statement("CREATE TABLE child (parent REFERENCES parent (id))"),
  ])
  const orphan = ["PRAGMA defer_foreign_keys = on", "INSERT INTO child (parent) VALUES (42)"]
  await expect(
    plane.query(
      "main",
      orphan.map((sql) => statement(sql)),
    ),
  ).rejects.toThrow(/^FOREIGN KEY constraint failed: SQLITE_CONSTRAINT$/)

  const version = versionSpec({
    bindings: [
      { name: "DB", type: "d1", id: "main" },
      { name: "ORPHAN", type: "json", json: orphan },
    ],
    code: `export default {
      async fetch(_, { DB, ORPHAN }) {
        const batch = ORPHAN.map((sql) => DB.prepare(sql))
        const error = await DB.batch(batch).catch((error) => error)
        return Response.json([error.message, await DB.prepare("SELECT * FROM child").raw()])
      },
    }`,
  })
  await plane.start(version)
  await using site = await serveVersion(plane, version.id)
  const answer = await (await site.fetch("/")).json()
  expect(answer).toEqual(["D1_ERROR: FOREIGN KEY constraint failed: SQLITE_CONSTRAINT", []])
  expect(plane.log).toEqual([])
})

test("the size of a database counts what was committed, and databases outlive the plane", async () => {
  await using plane = await openTestPlane()
  await plane.openDatabase("main")
  expect(plane.databaseSize("main")).toBe(0)
  await plane.query("main", [statement("CREATE TABLE note (body)")])
  const [written] = await plane.query("main", [
    statement("INSERT INTO note (body) VALUES ('kept')"),
  ])
  expect(plane.databaseSize("main")).toBe(written?.meta["size_after"])
  await plane.close()

  const reopened = await openPlane({ directory: plane.directory, onLog: () => {} })
  try {
    await reopened.openDatabase("main")
    const [result] = await reopened.query("main", [statement("SELECT body FROM note")])
    expect(result?.rows).toEqual([["kept"]])
  } finally {
    await reopened.close()
  }
})

test("a dropped database is gone, even for a Worker still bound to it", async () => {
  await using plane = await openTestPlane()
  await plane.openDatabase("main")
  await plane.openDatabase("other")
  for (const id of ["main", "other"]) await plane.query(id, [statement("CREATE TABLE note (body)")])
  const version = versionSpec({
    bindings: [{ name: "DB", type: "d1", database_id: "main" }],
    code: `export default {
      async fetch(_, { DB }) {
        const result = await DB.prepare("INSERT INTO note (body) VALUES (1)").run().catch((error) => error)
        return new Response(result.message ?? "written")
      },
    }`,
  })
  await plane.start(version)
  await using site = await serveVersion(plane, version.id)
  expect(await (await site.fetch("/")).text()).toBe("written")

  await plane.dropDatabase("main")
  await plane.dropDatabase("main")
  const notFoundMessage = "The database main could not be found"
  await expect(plane.query("main", [statement("SELECT 1")])).rejects.toThrow(notFoundMessage)
  expect(await (await site.fetch("/")).text()).toBe(`D1_ERROR: ${notFoundMessage}`)
  expect(existsSync(plane.databaseFile("main"))).toBe(false)
  expect(existsSync(plane.databaseFile("other"))).toBe(true)

  await expect(plane.openDatabase("main")).rejects.toThrow("The database main was dropped")
})

test("PRAGMA settings end with their batch, whether it succeeds or not", async () => {
  await using plane = await openTestPlane()
  await plane.openDatabase("main")
  const run = (...sql: string[]) =>
    plane.query(
      "main",
      sql.map((text) => statement(text)),
    )
  await run("CREATE TABLE note (body TEXT CHECK (length(body) < 3))")
  const long = "INSERT INTO note (body) VALUES ('long')"
  const refused = "CHECK constraint failed"
  await expect(run(long)).rejects.toThrow(refused)

  await run("PRAGMA ignore_check_constraints = on", long)
  await expect(run(long)).rejects.toThrow(refused)
  await expect(run("PRAGMA ignore_check_constraints = on", "SELECT missing")).rejects.toThrow(
    "no such column",
  )
  await expect(run(long)).rejects.toThrow(refused)
  await run("PRAGMA case_sensitive_like = on", "PRAGMA recursive_triggers = on")
  const [like, triggers] = await run("SELECT 'A' LIKE 'a'", "PRAGMA recursive_triggers")
  expect([like?.rows, triggers?.rows]).toEqual([[[1]], [[0]]])

  const version = versionSpec({
    bindings: [{ name: "DB", type: "d1", database_id: "main" }],
    code: `export default {
      async fetch(_, { DB }) {
        await DB.exec("PRAGMA ignore_check_constraints = on")
        const insert = DB.prepare("INSERT INTO note (body) VALUES ('long')")
        const result = await insert.run().catch((error) => error)
        return new Response(result.message ?? "written")
      },
    }`,
  })
  await plane.start(version)
  await using site = await serveVersion(plane, version.id)
  expect(await (await site.fetch("/")).text()).toContain(refused)
})
