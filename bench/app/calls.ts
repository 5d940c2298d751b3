import * as z from "zod"

import { operations, type Operation } from "./operation.ts"
import { subjects, url, type Subject } from "./subject.ts"
import type { openWorkerd } from "./workerd.ts"

/** The bare handler that bounds each operation, and the share of its speed that is the aim. */
export const floors: Record<Operation, { script: string; title: string; aim?: number }> = {
  health: { script: "floor-fetch", title: "a bare `fetch`", aim: 0.8 },
  "get-session": { script: "floor-query", title: "one query", aim: 0.7 },
  getProfile: { script: "floor-query", title: "one query" },
  listEntries: { script: "floor-query", title: "one query", aim: 0.6 },
  "sign-in": { script: "floor-scrypt", title: "one scrypt", aim: 0.95 },
  "sign-up": { script: "floor-scrypt", title: "one scrypt" },
}

export type Call = {
  url: string
  method: "GET" | "POST"
  headers: Record<string, string>
  body?: string
  connections: number
  /** SNI host name, over HTTPS. */
  servername?: string
}

const paths: Record<Operation, { accounts: string; peer: string }> = {
  health: { accounts: "/api/health", peer: "/health" },
  "get-session": { accounts: "/api/auth/get-session", peer: "/api/auth/get-session" },
  getProfile: { accounts: "/api/v1/getProfile", peer: "/profile" },
  listEntries: { accounts: "/api/v1/listEntries", peer: "/entries" },
  "sign-in": { accounts: "/api/auth/sign-in/email", peer: "/api/auth/sign-in/email" },
  "sign-up": { accounts: "/api/auth/sign-up/email", peer: "/api/auth/sign-up/email" },
}

const account = { name: "Ada", email: "ada@bench.example", password: "a good long password" }
/** The load generator replaces `[<id>]` with a new id in each request. */
const newAccount = { ...account, email: "[<id>]@bench.example" }

/** These hash a password. */
const hashing = new Set<Operation>(["sign-in", "sign-up"])

/** Headers that a browser and Cloudflare add to every request. */
const clientHeaders = { origin: url, "cf-connecting-ip": "192.0.2.1" }

type Instance = Awaited<ReturnType<typeof openWorkerd>>
type Calls = Record<Operation, Record<Subject, Call>>

/** Signs a member up at every subject, gives them a page of entries, and returns every call to measure. */
export async function prepareCalls(instance: Instance): Promise<Calls> {
  const cookies = new Map<Subject, string>()
  for (const subject of subjects) {
    if (subject !== "floor") cookies.set(subject, await signUp(instance, subject))
  }
  // The floor reads the service's own database: a session by its token.
  const token = /session_token=([^.]+)\./.exec(cookies.get("accounts") ?? "")
  cookies.set("floor", token?.[1] ?? "")
  const callOf = (operation: Operation, subject: Subject): Call => {
    const script = subject === "floor" ? floors[operation].script : subject
    const path = paths[operation][subject === "accounts" ? "accounts" : "peer"]
    const target = `${addressOf(instance, script)}${subject === "floor" ? "/" : path}`
    const connections = hashing.has(operation) ? 2 : 10
    if (!hashing.has(operation) || subject === "floor") {
      const headers = { ...clientHeaders, cookie: cookies.get(subject) ?? "" }
      return { url: target, method: "GET", headers, connections }
    }
    const headers = { ...clientHeaders, "content-type": "application/json" }
    const body = JSON.stringify(operation === "sign-up" ? newAccount : account)
    return { url: target, method: "POST", headers, body, connections }
  }
  const all = operations.map((operation) => [
    operation,
    Object.fromEntries(subjects.map((subject) => [subject, callOf(operation, subject)])),
  ])
  return Object.fromEntries(all)
}

function addressOf({ addresses }: Instance, script: string) {
  const address = addresses.get(script)
  if (address === undefined) throw new Error(`No Worker is called ${script}`)
  return address
}

const SignedUp = z.object({ user: z.object({ id: z.string() }) })

async function signUp(instance: Instance, subject: Subject): Promise<string> {
  const response = await fetch(`${addressOf(instance, subject)}${paths["sign-up"].peer}`, {
    method: "POST",
    headers: { ...clientHeaders, "content-type": "application/json" },
    body: JSON.stringify(account),
  })
  if (!response.ok) throw new Error(`${subject}: ${response.status} ${await response.text()}`)
  const { user } = SignedUp.parse(await response.json())
  const database = instance.databases.get(subject)
  const insert = database?.prepare(
    `insert into journal_entry (id, user_id, mood, text, created_at) values (?, ?, 'good', ?, ?)`,
  )
  if (database === undefined || insert === undefined) throw new Error(`${subject} has no database`)
  const text = "Walked along the river before work. ".repeat(5)
  const ids = Array.from({ length: 30 }, (_, index) => `journal_entry_${index}`)
  await database.batch(ids.map((id, index) => insert.bind(id, user.id, text, index)))
  const cookie = response.headers.getSetCookie().map((line) => line.replace(/;.*/s, ""))
  return cookie.join("; ")
}
