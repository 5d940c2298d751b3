import { expect, test } from "vitest"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"

test("databases are found by id or name, listed in pages and never replaced", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const all = ["one", "two", "three", ...Array.from({ length: 9 }, (_, index) => `more-${index}`)]
  for (const name of all) await client.d1.database.create({ account_id, name })

  const names: (string | undefined)[] = []
  for await (const database of client.d1.database.list({ account_id, per_page: 10 })) {
    names.push(database.name)
    expect(database).not.toHaveProperty("read_replication")
  }
  expect(names).toEqual(all)
  const list = `/accounts/${account_id}/d1/database`
  expect((await cloudflare.request(`${list}?per_page=9`)).status).toBe(400)
  const beyond = await cloudflare.request(`${list}?page=3&per_page=10`)
  expect(await beyond.json()).toMatchObject({
    result: [],
    result_info: { page: 3, per_page: 10, count: 0, total_count: 12 },
  })

  const one = await client.d1.database.get("one", { account_id })
  expect(one).toMatchObject({ name: "one", num_tables: 0, read_replication: { mode: "disabled" } })
  const uuid = one.uuid ?? ""
  await client.d1.database.update(uuid, { account_id, read_replication: { mode: "auto" } })
  expect(await client.d1.database.get(uuid, { account_id })).toMatchObject({
    read_replication: { mode: "auto" },
  })

  await expect(client.d1.database.create({ account_id, name: "one" })).rejects.toThrow("7502")
  const races = await Promise.allSettled(
    Array.from({ length: 8 }, () => client.d1.database.create({ account_id, name: "raced" })),
  )
  expect(races.filter(({ status }) => status === "fulfilled")).toHaveLength(1)

  await client.d1.database.delete(uuid, { account_id })
  await expect(client.d1.database.get(uuid, { account_id })).rejects.toThrow("7404")
  await expect(client.d1.database.delete(uuid, { account_id })).rejects.toThrow("7404")
})

test("an update takes the whole resource, as providers send it, and refuses to change what lasts", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const whole = { name: "kept", primary_location_hint: "weur" as const }
  const { uuid = "" } = await client.d1.database.create({ account_id, ...whole })
  const update = async (method: string, body: unknown) => {
    const path = `/accounts/${account_id}/d1/database/${uuid}`
    const response = await cloudflare.request(path, { method, body: JSON.stringify(body) })
    return response.json()
  }

  const read_replication = { mode: "auto" }
  expect(await update("PUT", { ...whole, jurisdiction: null, read_replication })).toMatchObject({
    result: { name: "kept", read_replication },
  })
  for (const change of [{ name: "x" }, { primary_location_hint: "apac" }, { jurisdiction: "eu" }]) {
    const [key] = Object.keys(change)
    expect(await update("PUT", { ...whole, ...change, read_replication })).toMatchObject({
      errors: [{ code: 7400, message: expect.stringContaining(`${key} of the database kept`) }],
    })
  }
})

test("one query is one atomic batch", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const { uuid = "" } = await client.d1.database.create({ account_id, name: "batch" })
  const query = async (sql: string, params: string[] = []) =>
    (await client.d1.database.query(uuid, { account_id, sql, params })).result

  await query(
    "CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT UNIQUE); INSERT INTO a (x) VALUES ('1;2')",
  )
  const failing = query("INSERT INTO a (x) VALUES ('kept?'); INSERT INTO a (x) VALUES ('1;2')")
  await expect(failing).rejects.toThrow(/7500.*UNIQUE constraint failed: a.x: SQLITE_CONSTRAINT/)
  await expect(query("SELECT * FROM nope")).rejects.toThrow("no such table: nope: SQLITE_ERROR")
  await expect(query("")).rejects.toThrow("7500")

  const [rows, counted] = await query("SELECT x FROM a ORDER BY id; SELECT count(*) AS n FROM a")
  expect(rows).toMatchObject({
    success: true,
    results: [{ x: "1;2" }],
    meta: { served_by: "v3-prod" },
  })
  expect(counted).toMatchObject({ results: [{ n: 1 }] })
  expect(await query("SELECT ? AS given", ["x"])).toMatchObject([{ results: [{ given: "x" }] }])

  const raw = await client.d1.database.raw(uuid, { account_id, sql: "SELECT 1 AS a, 2 AS a" })
  expect(raw.result).toMatchObject([{ results: { columns: ["a", "a"], rows: [[1, 2]] } }])
  const empty = await client.d1.database.raw(uuid, { account_id, sql: "SELECT x FROM a WHERE 0" })
  expect(empty.result).toMatchObject([{ results: { columns: ["x"], rows: [] } }])
})

test("D1's limits hold", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const { uuid = "" } = await client.d1.database.create({ account_id, name: "limits" })
  const query = (sql: string, params: string[] = []) =>
    client.d1.database.query(uuid, { account_id, sql, params })

  const placeholders = (count: number) => Array.from({ length: count }, () => "?").join(",")
  const values = (count: number) => Array.from({ length: count }, (_, index) => String(index))
  await expect(query(`SELECT ${placeholders(100)}`, values(100))).resolves.toBeDefined()
  await expect(query(`SELECT 1 IN (${placeholders(101)})`, values(101))).rejects.toThrow(
    /7500.*too many SQL variables/,
  )
  await expect(query(`SELECT '${"x".repeat(100_001)}'`)).rejects.toThrow(/7500.*statement too long/)
  await expect(query("SELECT ?", ["x".repeat(2_000_001)])).rejects.toThrow(/7500.*too big/)
  await expect(query("SELECT ?; SELECT ?", ["1", "2"])).rejects.toThrow("7400")
})
