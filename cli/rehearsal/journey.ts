import { setTimeout as delay } from "node:timers/promises"

import * as z from "zod"

import { parseJson } from "../../provider/parse-json.ts"
import { excerptOf, requestService } from "../../provider/release/service-request.ts"
import type { BaseWorker } from "./base-worker.ts"
import type { Mailbox } from "./mailbox.ts"

/** Milliseconds for a request, and for an e-mail: a busy machine starts the Worker meanwhile. */
const patience = 60_000

type Step = {
  path: string
  body?: unknown
  status?: number
  /** Whether the answer has what it must have. */
  holds?: (text: string) => boolean
}

type Service = { worker: BaseWorker; mailbox: Mailbox }

const Created = z.object({ id: z.string() })
const password = "correct horse battery staple"

export function createMember({ worker, mailbox }: Service, name: string) {
  const email = `${name.toLowerCase()}@rehearsal.example`
  const entries = new Map<string, string>()
  const cookies = new Map<string, string>()

  /** @throws Error with the title where the step goes otherwise */
  async function take(title: string, { path, body, status = 200, holds = () => true }: Step) {
    const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join("; ")
    const headers = { origin: worker.url, ...(cookie !== "" && { cookie }) }
    const request = { address: worker, path, headers, timeout: patience, body }
    const response = await requestService(request).catch((cause: unknown) => {
      throw new Error(`${name} ${title}: ${path} gave no answer (${String(cause)})`, { cause })
    })
    for (const line of response.cookies) storeCookie(cookies, line)
    const { status: answered, text } = response
    if (answered === status && holds(text)) return text
    const wanted = answered === status ? "" : ` instead of ${status}`
    const [route] = path.split("?")
    throw new Error(`${name} ${title}: ${route} answered ${answered}${wanted}: ${excerptOf(text)}`)
  }

  async function signUp() {
    const body = { name, email, password }
    await take("signs up", { path: "/api/auth/sign-up/email", body })
    const text = await mailbox.textTo(email, patience).catch((cause: unknown) => {
      throw new Error(`${name} signs up: ${String(cause)}`, { cause })
    })
    const { pathname, search } = new URL(/https?:\S+/.exec(text)?.[0] ?? "", worker.url)
    await take("follows the link in the e-mail", { path: pathname + search, status: 302 })
  }
  async function signIn() {
    await take("signs in", { path: "/api/auth/sign-in/email", body: { email, password } })
    await hasSession("has a session", true)
  }
  async function hasSession(title: string, known: boolean) {
    const holds = (text: string) => text.includes(JSON.stringify(email)) === known
    await take(title, { path: "/api/auth/get-session", holds })
  }
  async function writeEntry() {
    const text = `${name}'s entry ${entries.size + 1}`
    const body = { mood: "good", text }
    const isCreated = (answer: string) => Created.safeParse(parseJson(answer)).success
    const answer = await take("writes an entry", {
      path: "/api/v1/createEntry",
      body,
      holds: isCreated,
    })
    entries.set(Created.parse(parseJson(answer)).id, text)
  }
  async function readProfile() {
    const holds = (text: string) => [name, email].every((one) => text.includes(JSON.stringify(one)))
    await take("reads the profile", { path: "/api/v1/getProfile", holds })
  }
  async function readEntries() {
    for (const [id, written] of entries) {
      const holds = (text: string) => text.includes(JSON.stringify(written))
      const path = `/api/v1/getEntry?id=${encodeURIComponent(id)}`
      await take("reads an entry", { path, holds })
    }
  }
  async function signOut() {
    await take("signs out", { path: "/api/auth/sign-out", body: {} })
    await hasSession("has no session after that", false)
  }

  return {
    /** From sign-up to an entry; stays signed in. */
    async join() {
      await signUp()
      await signIn()
      await readProfile()
      await writeEntry()
      await readEntries()
    },
    /** Goes on with the session and the data that are there, and out and in again. */
    async goOn() {
      await hasSession("is still signed in after the migration", true)
      await readProfile()
      await readEntries()
      await writeEntry()
      await signOut()
      await signIn()
      await readEntries()
    },
    signOut,
  }
}

/** As a browser does; the service knows the one that signed up by a cookie. */
function storeCookie(cookies: Map<string, string>, line: string): void {
  const [, key = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  if (/;\s*max-age=0\b/i.test(line)) cookies.delete(key)
  else cookies.set(key, value)
}

/** Waits until the Worker answers at all. */
export async function waitUntilServed(worker: BaseWorker): Promise<void> {
  for (const start = Date.now(); ;) {
    const { status, text } = await askHealth(worker).catch((error: unknown) => ({
      status: 0,
      text: String(error),
    }))
    if (status === 200) return
    if (Date.now() - start > patience) {
      const answer = `${status === 0 ? "" : `${status} `}${excerptOf(text)}`
      throw new Error(`the base's Worker does not answer /api/health: ${answer}`)
    }
    await delay(250)
  }
}

const Health = z.object({ status: z.string() })

/** What the Worker says about the schema: `ok`, `ahead` after a file that takes a name, or `behind`. */
export async function schemaStatus(worker: BaseWorker): Promise<string> {
  const { text } = await askHealth(worker, "?schema=1")
  return Health.safeParse(parseJson(text)).data?.status ?? "unknown"
}

function askHealth(address: BaseWorker, query = "") {
  return requestService({ address, path: `/api/health${query}`, headers: {}, timeout: patience })
}
