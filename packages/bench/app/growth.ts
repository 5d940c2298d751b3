import { membersSql } from "../../../app/testing/members.ts"
import { markdownTable } from "../../tools/documents/pages.ts"
import { compare } from "../compare.ts"
import type { Call } from "../load.ts"
import { processorTimeOf, workerdsOf } from "../processor-time.ts"
import { publish, say, startFacts } from "../report.ts"
import { openWorkerd } from "../workerd.ts"
import { bodies, clientHeaders, jsonHeaders, signUp } from "./calls.ts"
import { service } from "./subject.ts"

const sizes = [100, 10_000, 1_000_000]

/** Paths of one member, who is an owner. */
const paths: Record<string, string> = {
  "get-session": "/api/auth/get-session",
  getProfile: "/api/v1/getProfile",
  listEntries: "/api/v1/listEntries",
  listUsers: "/api/v1/listUsers",
  "listUsers by address": "/api/v1/listUsers?email=member-0000050",
  "listAuditEntries of an action": "/api/v1/listAuditEntries?action=change_password",
  "listAuditEntries of a rare action": "/api/v1/listAuditEntries?action=change_role",
  "sign-in": "/api/auth/sign-in/email",
  "sign-up": "/api/auth/sign-up/email",
}

type Instance = Awaited<ReturnType<typeof openWorkerd>>

/** Gives a service so many members; returns a call of one more. */
async function fill(instance: Instance, name: string, members: number) {
  const cookie = await signUp(instance, name)
  const database = instance.databases.get(name)
  if (database === undefined) throw new Error(`${name} has no database`)
  await database.prepare("update user set role = 'owner'").run()
  const began = performance.now()
  for (const sql of membersSql(0, members)) await database.prepare(sql).run()
  const seconds = (performance.now() - began) / 1000
  const { meta } = await database.prepare("reindex audit_entry_list_by_action").run()
  const size = `${(meta.size_after / 1e6).toFixed(0)} MB in ${seconds.toFixed(0)} s`
  const built = `an index of ${(2 * members).toLocaleString("en")} entries in ${(meta.duration / 1000).toFixed(1)} s`
  const facts = `${members.toLocaleString("en")} members: ${size}, ${built}`
  say(facts)
  const callOf = (request: string): Call => {
    const target = { url: `${instance.addressOf(name)}${paths[request]}`, connections: 2 }
    const body = bodies.get(request)
    if (body === undefined) return { ...target, headers: { ...clientHeaders, cookie } }
    return { ...target, method: "POST", headers: jsonHeaders, body: JSON.stringify(body) }
  }
  return { title: `${members.toLocaleString("en")} members`, callOf, facts }
}

/** Compares requests to the service with a few members, with more and with a million. */
export async function benchGrowth({ rounds, write }: { rounds: number; write?: boolean }) {
  const factsUntilNow = startFacts()
  const databases = sizes.map((members) => ({ members, name: `members-${members}` }))
  await using instance = await openWorkerd(
    await Promise.all(databases.map(async ({ name }) => service(name))),
  )
  const filled: Awaited<ReturnType<typeof fill>>[] = []
  for (const { members, name } of databases) filled.push(await fill(instance, name, members))
  const processorTime = () => processorTimeOf(workerdsOf("self"))
  const comparisons = Object.keys(paths).map((request) => ({
    request,
    requests: bodies.has(request) ? 8 : 150,
    ways: filled.map(({ title, callOf }) => ({ title, call: callOf(request), processorTime })),
  }))
  const [, rows] = await compare(comparisons, rounds, filled[0]?.title ?? "")
  const ratios = filled.slice(1).flatMap(({ title }) => [title, "by processor"])
  const table = markdownTable(
    ["request", "100 members, a second", "processor ms", ...ratios],
    comparisons.map(({ request, ways }, index) => {
      const [few = [], ...larger] = rows.slice(index * ways.length, (index + 1) * ways.length)
      const cells = larger.flatMap((of) => [of[5], of[7]])
      return [request, few[2], few[6]].concat(cells).map((cell) => cell ?? "")
    }),
  )
  const written = filled.map(({ facts }) => facts).join("; ")
  const measured = `${factsUntilNow()}; rounds: ${rounds}.\n${written}.\n\n${table}`
  publish({ part: "growth", measured, write })
}
