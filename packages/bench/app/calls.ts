import * as z from "zod"

import type { Comparison } from "../compare.ts"
import type { Call } from "../load.ts"
import type { ProcessorTime } from "../processor-time.ts"
import type { openWorkerd } from "../workerd.ts"
import { subjects, titles, url, type Subject } from "./subject.ts"

export const operations = [
  "health",
  "get-session",
  "getProfile",
  "listEntries",
  "sign-in",
  "sign-up",
] as const
export type Operation = (typeof operations)[number]

/** The bare handler that bounds an operation, and the share of its speed that is the aim. */
type Floor = { script: string; title: string; aim?: number }
type Facts = {
  /** About a quarter of a second on an idle machine: short turns share its noise evenly. */
  requests: number
  floor: Floor
  paths: { accounts: string; peer: string }
}

const query = { script: "floor-query", title: "one query" }
const scrypt = { script: "floor-scrypt", title: "one scrypt" }
function alike(path: string) {
  return { accounts: path, peer: path }
}

const facts: Record<Operation, Facts> = {
  health: {
    requests: 4_000,
    floor: { script: "floor-fetch", title: "a bare `fetch`", aim: 0.8 },
    paths: { accounts: "/api/health", peer: "/health" },
  },
  "get-session": {
    requests: 600,
    floor: { ...query, aim: 0.8 },
    paths: alike("/api/auth/get-session"),
  },
  getProfile: {
    requests: 600,
    floor: { ...query, aim: 0.8 },
    paths: { accounts: "/api/v1/getProfile", peer: "/profile" },
  },
  listEntries: {
    requests: 600,
    floor: { script: "floor-page", title: "one query of a page", aim: 0.8 },
    paths: { accounts: "/api/v1/listEntries", peer: "/entries" },
  },
  "sign-in": {
    requests: 8,
    floor: { ...scrypt, aim: 0.95 },
    paths: alike("/api/auth/sign-in/email"),
  },
  "sign-up": { requests: 8, floor: scrypt, paths: alike("/api/auth/sign-up/email") },
}

const account = { name: "Ada", email: "ada@bench.example", password: "a good long password" }
/** Bodies of the operations that hash a password. */
export const bodies = new Map<string, object>([
  ["sign-in", account],
  // The load generator replaces `[<id>]` with a new id in each request.
  ["sign-up", { ...account, email: "[<id>]@bench.example" }],
])

/** Headers that a browser and Cloudflare add to every request. */
export const clientHeaders = {
  origin: url,
  "cf-connecting-ip": "192.0.2.1",
  "cf-ray": "9f2e1d0c7b6a5843-FRA",
}
export const jsonHeaders = { ...clientHeaders, "content-type": "application/json" }

type Instance = Awaited<ReturnType<typeof openWorkerd>>
type Options = { only: Operation[] | undefined; processorTime: ProcessorTime }

/** Signs a member up at every subject and gives them a page of entries. */
export async function compareOperations(
  instance: Instance,
  { only = [...operations], processorTime }: Options,
): Promise<Comparison[]> {
  const cookies = new Map<Subject, string>()
  for (const subject of subjects) {
    if (subject !== "floor") cookies.set(subject, await signUp(instance, subject))
  }
  // The floor reads the service's own database: a session by its token.
  const token = /session_token=([^.]+)\./.exec(cookies.get("accounts") ?? "")
  cookies.set("floor", token?.[1] ?? "")
  const callOf = (operation: Operation, subject: Subject): Call => {
    const body = bodies.get(operation)
    const connections = body === undefined ? 10 : 2
    const { floor, paths } = facts[operation]
    const isFloor = subject === "floor"
    const target = isFloor
      ? `${instance.addressOf(floor.script)}/`
      : instance.addressOf(subject) + paths[subject === "accounts" ? "accounts" : "peer"]
    if (body === undefined || isFloor) {
      const headers = { ...clientHeaders, cookie: cookies.get(subject) ?? "" }
      return { url: target, headers, connections }
    }
    const text = JSON.stringify(body)
    return { url: target, method: "POST", headers: jsonHeaders, body: text, connections }
  }
  return only.map((operation) => {
    const { floor, requests } = facts[operation]
    const ways = subjects.map((subject) => ({
      title: subject === "floor" ? floor.title : titles[subject],
      call: callOf(operation, subject),
      processorTime,
      aim: subject === "accounts" ? floor.aim : undefined,
    }))
    return { request: operation, requests, ways }
  })
}

const SignedUp = z.object({ user: z.object({ id: z.string() }) })

/** Signs a member with a page of entries up, and returns the cookies. */
export async function signUp(instance: Instance, subject: string): Promise<string> {
  const response = await fetch(instance.addressOf(subject) + facts["sign-up"].paths.peer, {
    method: "POST",
    headers: jsonHeaders,
    body: JSON.stringify(account),
  })
  if (!response.ok) throw new Error(`${subject}: ${response.status} ${await response.text()}`)
  const { user } = SignedUp.parse(await response.json())
  const database = instance.databases.get(subject)
  if (database === undefined) throw new Error(`${subject} has no database`)
  await database
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29)
INSERT INTO journal_entry (id, user_id, mood, text, created_at)
SELECT 'journal_entry_' || i, ?, 'good', ?, i FROM n`,
    )
    .bind(user.id, "Walked along the river before work. ".repeat(5))
    .run()
  const cookie = response.headers.getSetCookie().map((line) => line.replace(/;.*/s, ""))
  return cookie.join("; ")
}
