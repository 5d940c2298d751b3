import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import * as z from "zod"

import { createPerson } from "../../testing/person.ts"
import { actionGroups, auditActions, noticed } from "../platform/audit/audit-entry.table.ts"

const Page = z.object({
  items: z.array(z.object({ id: z.string() })),
  nextCursor: z.string().nullable(),
})

function day(number: number) {
  return Date.parse(`2026-03-0${number}T12:00:00Z`)
}

/** An admin, and entries of these days of March: actor, subject, action. */
async function createLog() {
  await env.DB.exec("delete from audit_entry")
  const [admin, member] = [await createPerson(undefined, "admin"), await createPerson()]
  const entries = [
    [1, member.id, member.id, "sign_up"],
    [2, member.id, member.id, "sign_in"],
    [3, null, member.id, "sign_in_refused"],
    [4, member.id, member.id, "change_password"],
    [5, admin.id, member.id, "suspend"],
    [6, member.id, "user_other", "invite"],
    [7, null, "user_other", "settle_payment"],
  ] as const
  const insert = env.DB.prepare(
    "insert into audit_entry (id, actor_id, subject_id, action, created_at) values (?, ?, ?, ?, ?)",
  )
  await env.DB.batch(
    entries.map(([number, actor, subject, action]) =>
      insert.bind(`entry_${number}`, actor, subject, action, day(number)),
    ),
  )
  const list = async (query: string) => {
    const numbers: number[] = []
    let cursor = ""
    do {
      const path = `listAuditEntries?until=2026-04-01&${query}${cursor}`
      const { status, body } = await admin.get(path)
      expect({ path, status, code: body["code"] }).toMatchObject({ status: 200 })
      const page = Page.parse(body)
      numbers.push(...page.items.map(({ id }) => Number(id.split("_")[1])))
      cursor = page.nextCursor === null ? "" : `&cursor=${page.nextCursor}`
    } while (cursor !== "")
    return numbers
  }
  return { admin, member, list }
}

test("the log is listed about a member, whether they are the actor or the subject, in pages", async () => {
  const { admin, member, list } = await createLog()
  const newestFirst = [6, 5, 4, 3, 2, 1]
  expect(await list(`about=${member.id}`)).toEqual(newestFirst)
  expect(await list(`about=${member.email}&limit=2`)).toEqual(newestFirst)
  expect(await list(`about=${admin.id}`)).toEqual([5])
  expect(await list(`about=${member.id}&actorId=${admin.id}`)).toEqual([5])
  expect(await list(`about=${member.id}&subjectId=user_other`)).toEqual([6])
  expect(await list("about=user_nobody")).toEqual([])
})

test("the log is listed by groups of actions and by time, together with each other filter", async () => {
  const { admin, member, list } = await createLog()
  expect(await list("group=access")).toEqual([3, 2, 1])
  expect(await list("group=access&limit=1")).toEqual([3, 2, 1])
  expect(await list("group=account")).toEqual([4])
  expect(await list("group=admin")).toEqual([6, 5])
  expect(await list("group=payment")).toEqual([7])
  expect(await list("group=payment&action=suspend")).toEqual([5])
  expect(await list(`group=admin&about=${admin.id}`)).toEqual([5])
  expect(await list("since=2026-03-06")).toEqual([7, 6])
  expect(await list("since=2026-03-06T12:00:00.001Z")).toEqual([7])
  expect(await list(`since=2026-03-02&about=${member.id}&group=access`)).toEqual([3, 2])
  const before = await admin.get("listAuditEntries?until=2026-03-02")
  expect(Page.parse(before.body).items).toEqual([{ id: "entry_1" }])
  for (const query of ["since=yesterday", "until=2026-13-01", "group=other"]) {
    expect((await admin.get(`listAuditEntries?${query}`)).status).toBe(400)
  }
})

test("reading the log about a member is an entry about them, and every action has one group", async () => {
  const { admin, member } = await createLog()
  await admin.get(`listAuditEntries?about=${member.email}`)
  const entry = "select subject_id from audit_entry where action = 'list_audit_entries'"
  expect(await env.DB.prepare(entry).first("subject_id")).toBe(member.id)
  expect(new Set(auditActions).size).toBe(auditActions.length)
  const grouped = Object.values(actionGroups).flat()
  expect(new Set(grouped)).toEqual(new Set(auditActions))
  expect(new Set(auditActions)).toEqual(new Set([...auditActions, ...noticed]))
})
