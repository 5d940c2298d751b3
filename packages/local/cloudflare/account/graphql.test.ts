import { expect, test } from "vitest"

import { localCloudflare } from "../testing/local-cloudflare.ts"
import { wranglerProject } from "../testing/wrangler.ts"

test("wrangler d1 info and insights count the queries that came over the API", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const config = { name: "insight" }
  await using wrangler = await wranglerProject({ cloudflare, config, files: {} })
  const { uuid = "" } = await client.d1.database.create({ account_id, name: "counted" })
  const info = async () => JSON.parse(await wrangler.run(["d1", "info", "counted", "--json"]))
  expect(await info()).toMatchObject({ read_queries_24h: 0, rows_written_24h: 0, num_tables: 0 })

  const query = (sql: string) => client.d1.database.query(uuid, { account_id, sql })
  await query("CREATE TABLE note (text TEXT)")
  await query("INSERT INTO note VALUES ('a'), ('b'), ('c')")
  for (const _ of [1, 2]) await query("SELECT text FROM note")
  expect(await info()).toMatchObject({
    read_queries_24h: 2,
    write_queries_24h: 2,
    rows_read_24h: expect.any(Number),
    num_tables: 1,
  })
  const insights = async (...flags: string[]) =>
    JSON.parse(await wrangler.run(["d1", "insights", "counted", "--json", ...flags]))
  const [first, ...others] = await insights("--sort-by", "count")
  expect(first).toMatchObject({
    query: "SELECT text FROM note",
    numberOfTimesRun: 2,
    totalRowsRead: 6,
    avgRowsRead: 3,
    totalRowsWritten: 0,
  })
  expect(others).toHaveLength(2)
  expect(await insights("--sort-by", "writes", "--limit", "1")).toMatchObject([
    { query: expect.stringContaining("INSERT"), totalRowsWritten: 3 },
  ])
})

test("any other GraphQL query gets an error that names its dataset", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const filter = {
    datetimeHour_geq: "2026-01-01T00:00:00Z",
    datetimeHour_leq: "2026-01-02T00:00:00Z",
  }
  const ask = async (query: string, accountTag = accountId) => {
    const body = JSON.stringify({ query, variables: { accountTag, filter: { AND: [filter] } } })
    return (await cloudflare.request("/graphql", { method: "POST", body })).json()
  }
  expect(
    await ask("query { viewer { workersInvocationsAdaptive(limit: 10) { sum } } }"),
  ).toMatchObject({
    data: null,
    errors: [{ message: expect.stringContaining("not workersInvocationsAdaptive") }],
  })
  expect(await ask("query { d1QueriesAdaptiveGroups(limit: 1) }", "other")).toMatchObject({
    data: null,
    errors: [{ message: "not authorized for account other" }],
  })
})
