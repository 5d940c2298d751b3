import { setTimeout as delay } from "node:timers/promises"

import * as z from "zod"

import {
  excerptOf,
  openConnection,
  type ServiceResponse,
} from "../../provider/release/service-request.ts"
import type { BaseWorker } from "./base-worker.ts"
import type { Mailbox } from "./mailbox.ts"

/** Milliseconds for a request, and for an e-mail: a busy machine starts the Worker meanwhile. */
const patience = 60_000

type Service = { worker: BaseWorker; mailbox: Mailbox }

const Profile = z.object({ name: z.string(), email: z.string() })
const Created = z.object({ id: z.string() })
const Entry = z.object({ text: z.string() })

export function createMember({ worker, mailbox }: Service, name: string) {
  const email = `${name.toLowerCase()}@rehearsal.example`
  const password = "correct horse battery staple"
  const entries = new Map<string, string>()
  const cookies = new Map<string, string>()

  async function send(step: string, path: string, body?: unknown): Promise<ServiceResponse> {
    const connection = openConnection(worker)
    try {
      const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join("; ")
      const headers = { origin: worker.url, ...(cookie !== "" && { cookie }) }
      const response = await connection.send({ path, headers, timeout: patience, body })
      for (const line of response.cookies) storeCookie(cookies, line)
      return response
    } catch (error) {
      throw new Error(`${step}: ${path} gave no answer (${String(error)})`, { cause: error })
    } finally {
      connection.close()
    }
  }

  async function expect(
    step: string,
    path: string,
    more: { body?: unknown; status?: number } = {},
  ) {
    const { body, status = 200 } = more
    const response = await send(step, path, body)
    if (response.status === status) return response
    const answer = `answered ${response.status} instead of ${status}: ${excerptOf(response.text)}`
    throw new Error(`${step}: ${path.split("?")[0] ?? path} ${answer}`)
  }

  async function call<Output>(
    step: string,
    output: z.ZodType<Output>,
    [path, body]: [path: string, body?: unknown],
  ): Promise<Output> {
    const { text } = await expect(step, `/api/v1/${path}`, { body })
    const parsed = output.safeParse(parse(text))
    if (parsed.success) return parsed.data
    throw new Error(`${step}: ${path} has another form: ${excerptOf(text)}`)
  }

  const signUp = async () => {
    const step = `${name} signs up`
    await expect(step, "/api/auth/sign-up/email", { body: { name, email, password } })
    const text = await mailbox.textTo(email, patience).catch((error: unknown) => {
      throw new Error(`${step}: ${String(error)}`, { cause: error })
    })
    const link = new URL(/https?:\S+/.exec(text)?.[0] ?? "", worker.url)
    const verify = `${name} follows the link in the e-mail`
    await expect(verify, `${link.pathname}${link.search}`, { status: 302 })
  }
  const signIn = async () => {
    const step = `${name} signs in`
    await expect(step, "/api/auth/sign-in/email", { body: { email, password } })
    await expectSession(`${name} has a session`, true)
  }
  const expectSession = async (step: string, known: boolean) => {
    const { text } = await expect(step, "/api/auth/get-session")
    if (text.includes(JSON.stringify(email)) === known) return
    throw new Error(`${step}: /api/auth/get-session answered ${excerptOf(text)}`)
  }
  const readProfile = async () => {
    const step = `${name} reads the profile`
    const profile = await call(step, Profile, ["getProfile"])
    if (profile.name === name && profile.email === email) return
    throw new Error(`${step}: getProfile answered ${JSON.stringify(profile)}`)
  }
  const writeEntry = async () => {
    const text = `${name}'s entry ${entries.size + 1}`
    const body = { mood: "good", text }
    const { id } = await call(`${name} writes an entry`, Created, ["createEntry", body])
    entries.set(id, text)
  }
  const readEntries = async () => {
    for (const [id, text] of entries) {
      const step = `${name} reads an entry`
      const entry = await call(step, Entry, [`getEntry?id=${encodeURIComponent(id)}`])
      if (entry.text === text) continue
      throw new Error(`${step}: getEntry answered ${JSON.stringify(entry)}`)
    }
  }
  const signOut = async () => {
    await expect(`${name} signs out`, "/api/auth/sign-out", { body: {} })
    await expectSession(`${name} has no session after that`, false)
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
      await expectSession(`${name}, who joined before the migration, is still signed in`, true)
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
  const connection = openConnection(worker)
  try {
    for (const start = Date.now(); ;) {
      const request = { path: "/api/health", headers: {}, timeout: patience }
      const answer = await connection.send(request).catch((error: unknown) => String(error))
      if (typeof answer !== "string" && answer.status === 200) return
      if (Date.now() - start > patience) {
        const what =
          typeof answer === "string" ? answer : `${answer.status} ${excerptOf(answer.text)}`
        throw new Error(`the base's Worker does not answer /api/health: ${what}`)
      }
      await delay(250)
    }
  } finally {
    connection.close()
  }
}

const Health = z.object({ status: z.string() })

/** What the Worker says about the schema: `ok`, `ahead` after a file that takes a name, or `behind`. */
export async function schemaStatus(worker: BaseWorker): Promise<string> {
  const connection = openConnection(worker)
  try {
    const request = { path: "/api/health?schema=1", headers: {}, timeout: patience }
    const { text } = await connection.send(request)
    return Health.safeParse(parse(text)).data?.status ?? "unknown"
  } finally {
    connection.close()
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
