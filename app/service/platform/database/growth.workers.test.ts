import { env } from "cloudflare:workers"
import { beforeAll, expect, test } from "vitest"

import { bind } from "../../../testing/browser.ts"
import { createEveryRoute, visitEveryRoute } from "../../../testing/every-route.ts"
import { membersSql } from "../../../testing/members.ts"
import { nouns } from "../../../testing/nouns.ts"
import { createPerson, type Person } from "../../../testing/person.ts"
import { createRowCounter } from "../../../testing/rows-read.ts"
import worker from "../../../worker.ts"
import description from "../../openapi/openapi.json"

const counter = createRowCounter(env.DB)
const bound = bind({ DB: counter.database })

async function fill(from: number, until: number) {
  await env.DB.batch(membersSql(from, until).map((sql) => env.DB.prepare(sql)))
}

/** Rows that each request reads, and the hourly sweep. */
async function readRows() {
  const every = await createEveryRoute({ DB: counter.database })
  using _ = every.network()
  const read: Record<string, number> = {}
  await visitEveryRoute(every, async (name, action) => {
    read[name] = await counter.during(action)
  })
  const now = { scheduledTime: Date.now(), cron: "", noRetry: () => {} }
  read["the hourly sweep"] = await counter.during(() => worker.scheduled(now, bound))
  return read
}

const read: Record<"few" | "many", Record<string, number>> = { few: {}, many: {} }
const context: { person?: Person } = {}

beforeAll(async () => {
  await fill(0, 100)
  read.few = await readRows()
  await fill(100, 3000)
  read.many = await readRows()

  const person = await createPerson(bound, "owner")
  context.person = person
  const rows = `with recursive n (i) as (select 0 union all select i + 1 from n where i < 2999)`
  await env.DB.batch(
    [
      `insert into invitation (id, email, hash, invited_by, created_at, expires_at) ${rows}
       select 'own' || i, 'own' || i || '@example.com', i, ?1, 1700000000000 + i, 4000000000000 from n`,
      `insert into audit_entry (id, actor_id, subject_id, action, created_at) ${rows}
       select 'own' || i, ?1, ?1, 'list_users', 1700000000000 + i from n`,
      ...nouns.flatMap(({ many }) => many?.(rows) ?? []),
    ].map((sql) => env.DB.prepare(sql).bind(person.id)),
  )
})

test("rows that are read are counted, however a statement is sent", async () => {
  const scan = counter.database.prepare("select id from audit_entry where detail = 'x'")
  const ways = [() => scan.all(), () => scan.raw(), () => scan.first(), () => scan.run()]
  for (const way of [...ways, () => counter.database.batch([scan])]) {
    expect(await counter.during(way)).toBeGreaterThan(6000)
  }
})

test("every request and the hourly sweep read as many rows with 3,000 members as with 100", () => {
  // An email in the background reads a few; a scan of the smallest table that has grown reads 290.
  const growing = Object.entries(read.many).filter(
    ([name, rows]) => rows > Number(read.few[name]) + 100,
  )
  expect(growing).toEqual([])
  expect(Object.keys(read.many).length).toBeGreaterThan(40)
})

const namesRead = "the name of whom each entry is by, and about"

const scans = "a thousand rows at most are looked at for each page"

/** Lists of 20, and why one reads more than its page. */
const lists: [string, string?][] = [
  ["listUsers"],
  ["listUsers?cursor=MTc2MDAwMDAwMDAwMC5h"],
  ["listUsers?email=member-"],
  ["listUsers?email=member-0000050@example.com"],
  ["listUsers?email=nobody"],
  ["listUsers?search=member", "each of six ways to find one has its own index"],
  ["listUsers?search=member-0000050@example.com"],
  ["listUsers?state=suspended"],
  ["listUsers?state=deletion"],
  ["listUsers?role=admin"],
  ["listUsers?role=owner&state=suspended"],
  ["listUsers?role=member", scans],
  ["listUsers?state=unverified", scans],
  ["listUsers?state=active&email=member-", scans],
  ["listUsers?search=member&state=unverified", scans],
  ["listAuditEntries", namesRead],
  ["listAuditEntries?action=sign_in", namesRead],
  ["listAuditEntries?action=list_users&cursor=MTcwMDAwMDAwMTAwMC5h", namesRead],
  ["listAuditEntries?actorId=SELF", namesRead],
  ["listAuditEntries?subjectId=SELF", namesRead],
  ["listAuditEntries?subjectId=user_0000050&action=sign_in"],
  ["listAuditEntries?subjectId=user_0000050&actorId=SELF&action=list_users"],
  ["listAuditEntries?about=SELF", namesRead],
  ["listAuditEntries?about=user_0000050"],
  ["listAuditEntries?group=access", "a page of each action of the group"],
  ["listAuditEntries?group=admin&since=2020-01-01", "a page of each action of the group"],
  ["listAuditEntries?subjectId=user_0000050&group=access"],
  ["listAuditEntries?since=2020-01-01&until=2020-01-02"],
  ["listAuditEntries?actorId=SELF&action=sign_in", "the entries of one actor, of two years"],
  ["listSecurityEvents"],
  ["listSecurityEvents?cursor=MTcwMDAwMDAwMTAwMC5h"],
  ["listInvitations"],
  ["listInvitations?cursor=MTcwMDAwMDAwMTAwMC5h"],
  ...nouns.flatMap(({ pages }) => pages),
  ["exportData", "in the order in which the member wrote, which no index has"],
]

function pagesOf(name: string) {
  return lists.flatMap(([path]) => (path.startsWith(name) ? path : []))
}

test("every list in pages is among them, from its beginning and from a cursor, and has a next page", async () => {
  const names = Object.values(description.paths).flatMap((path) => {
    const { operationId, parameters = [] } = "get" in path ? path.get : { operationId: "" }
    const isPaged = parameters.some(
      (parameter) => "name" in parameter && parameter.name === "cursor",
    )
    return isPaged && operationId.startsWith("list") ? operationId : []
  })
  expect(names.length).toBeGreaterThan(3)
  const { get } = context.person ?? (await createPerson())
  const plans = await Promise.all(
    names.map(async (name) => ({
      name,
      begins: pagesOf(name).some((path) => !path.includes("cursor=")),
      goesOn: pagesOf(name).some((path) => path.includes("cursor=")),
      hasNext: typeof (await get(name)).body["nextCursor"] === "string",
    })),
  )
  const expected = { begins: true, goesOn: true, hasNext: true }
  expect(plans).toEqual(names.map((name) => Object.assign({ name }, expected)))
})

test.each(lists)(
  "a page of %s reads a page of rows, or why not stands beside it",
  async (path, reason) => {
    const { id, get } = context.person ?? (await createPerson())
    const state = { status: 0 }
    const rows = await counter.during(async () => {
      state.status = (await get(path.replaceAll("SELF", id))).status
    })
    expect(state.status).toBe(200)
    expect({ path, rows, isMore: rows > 60 }).toMatchObject({ isMore: reason !== undefined })
  },
)
