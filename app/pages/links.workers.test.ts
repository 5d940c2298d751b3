import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { pages } from "../pages.ts"
import committed from "../service/openapi/openapi.json"
import { bind } from "../testing/browser.ts"
import { createCountingDatabase } from "../testing/counting-database.ts"
import { openPageAccount } from "../testing/page-owner.ts"

const counting = createCountingDatabase(env.DB)
const bound = bind({
  DB: counting.database,
  PAGES: "true",
  LIMIT_EMAIL: undefined,
  LIMIT_ADDRESS: undefined,
})
/** How a browser says what brought it. */
const origins = {
  "on another site": { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
  "on a sibling host": { "sec-fetch-site": "same-site", "sec-fetch-mode": "navigate" },
  "in an email": { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" },
  "in an old browser": {},
}

type Operation = { tags?: string[]; parameters?: { name: string; in: string }[] }

/** Every route of the API that is for admins. */
const adminRoutes = Object.entries<Record<string, Operation>>(committed.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags = [] }]) => tags.includes("admin"))
      .map(([method, { parameters = [] }]) => ({ path, method, parameters })),
)

function openAccount(role: string) {
  return openPageAccount(bound, { change: `role = '${role}'` })
}

type Reader = Awaited<ReturnType<typeof openAccount>>["reader"]

/** Returns the statements that write when the link is opened. */
async function writtenBy({ browser }: Reader, link: string, headers: Record<string, string>) {
  const statements = await counting.during(() => browser.send("GET", link, { headers }))
  return statements.filter((sql) => /\b(insert into|update|delete from|replace into)\s/i.test(sql))
}

/** Each page, with all that any of its forms would send. */
function linksFor(id: string) {
  return pages.map(({ path, audience, forms = [] }) => {
    const fields = forms.flatMap(({ act, fields: names }) =>
      [["act", act]].concat(Object.keys(names).map((name) => [name, "1"])),
    )
    const search = new URLSearchParams([...fields, ["app", "yes"], ["userId", id]]).toString()
    return { link: `${path.replace(":id", id)}?${search}`, audience }
  })
}

test.each(Object.entries(origins))(
  "no link %s to any page writes a row or an entry, whatever it says",
  async (_, headers) => {
    const member = await openAccount("member")
    const owner = await openAccount("owner")
    for (const { link, audience } of linksFor(member.id)) {
      expect({ link, written: await writtenBy(owner.reader, link, headers) }).toEqual({
        link,
        written: [],
      })
      if (audience !== "admin") continue
      const question = await owner.reader.open(link, headers)
      expect(question.text).toContain("Did you mean to come here?")
      expect((await member.reader.open(link, headers)).status).toBe(404)
    }
  },
)

test.each(Object.entries(origins))(
  "no link %s to any of the API's routes for admins writes a row or an entry",
  async (_, headers) => {
    const member = await openAccount("member")
    const { reader } = await openAccount("owner")
    const readable = adminRoutes.filter(({ method }) => method === "get")
    for (const { path, parameters } of readable) {
      const ids = parameters.filter(({ name }) => name === "userId")
      const search = new URLSearchParams(ids.map(({ name }) => [name, member.id])).toString()
      const link = `${path}?${search}`
      expect({ link, written: await writtenBy(reader, link, headers) }).toEqual({
        link,
        written: [],
      })
      const { status } = await reader.browser.send("GET", link, { headers })
      expect({ link, status }).toEqual({ link, status: 403 })
    }
    expect(readable.length).toBeGreaterThan(3)
    const script = { "sec-fetch-mode": "cors" }
    const read = await reader.browser.send("GET", "/api/v1/listUsers", { headers: script })
    expect(read.status).toBe(200)
  },
)

test.each([
  ["text/plain", "https://evil.example", 403],
  ["application/x-www-form-urlencoded", "null", 403],
  ["text/plain", "http://localhost:8787", 415],
])("no act of admins counts as %s from %s", async (type, from, status) => {
  const { id } = await openAccount("member")
  const { reader } = await openAccount("owner")
  const acts = adminRoutes.filter(({ method }) => method === "post")
  for (const { path } of acts) {
    const body = JSON.stringify({ userId: id, reason: "abuse", role: "owner", until: null })
    const statements = await counting.during(async () => {
      const headers = { "content-type": type }
      const answer = await reader.browser.send("POST", path, { headers, body, from })
      expect({ path, status: answer.status }).toEqual({ path, status })
    })
    expect({ path, sent: statements }).toEqual({ path, sent: [] })
  }
  expect(acts.length).toBeGreaterThan(10)
})

test("an admin who continues from there reaches the page, and the log has an entry", async () => {
  const member = await openAccount("member")
  const { reader } = await openAccount("admin")
  const link = `/admin/members/${member.id}`
  const question = await reader.open(`${link}?from=mail`, origins["in an email"])
  expect(question.html).toContain(`href="${link}?from=mail"`)
  const clicked = { "sec-fetch-site": "same-origin" }
  expect(await writtenBy(reader, link, clicked)).toHaveLength(1)
  const page = await reader.open(link, { referer: "http://localhost:8787/admin" })
  expect(page.text).toContain(member.email)
})
