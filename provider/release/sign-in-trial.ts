import { createHmac, randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"

import type { Log } from "../protocol/log.ts"
import type { Smoke } from "./inputs.ts"
import { overrideOf, type Override } from "./override.ts"
import { requestService, type Answer, type Place } from "./service-request.ts"

export type Trial = {
  place: Place
  /** Without it health alone decides. */
  smoke: Smoke | undefined
  /** Sends every request to this version, whatever its share of the traffic. */
  override?: Override
  /** The version that has to answer. */
  expected: string
  log: Log
  signal: AbortSignal
}

type Walk = Omit<Trial, "smoke" | "log"> & { smoke: Smoke }

/** Seconds that the account may sign up; what is left of it then is swept away. */
const lifetime = 15 * 60
/** A lost answer is no broken version, and a broken version is none the third time either. */
const attempts = 3
const timeout = 15_000
const pause = 1000

/**
 * Signs an account of the release's own up and in, reads its session and deletes it again: what no
 * health check tells. Says in the log that it did, or why not. @throws with the step that failed
 */
export async function trySignIn({ smoke, log, ...trial }: Trial): Promise<void> {
  if (smoke === undefined) {
    return log.info("health alone decided: SMOKE_KEY is not among the stack's secrets")
  }
  await walkPatiently({ ...trial, smoke })
  log.info(`an account of the release's own signed up, in and out of version ${trial.expected}`)
}

async function walkPatiently(trial: Walk): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    trial.signal.throwIfAborted()
    try {
      return await walk(trial)
    } catch (error) {
      if (attempt === attempts) throw error
      await delay(pause, undefined, { signal: trial.signal })
    }
  }
}

async function walk({ place, smoke, override, expected }: Walk): Promise<void> {
  const { key, origin } = smoke
  const email = smokeAddress()
  const password = randomBytes(24).toString("base64url")
  const code = createHmac("sha256", key).update(email).digest("hex")

  const ask = async (
    step: string,
    request: { body?: unknown; headers?: Record<string, string> },
  ) => {
    const headers = { origin, ...overrideOf(override), ...request.headers }
    const path = `/api/auth/${step}`
    const answer = await requestService({ place, path, headers, body: request.body, timeout })
    if (answer.versionId === expected) return answer
    throw new Error(`${path}: version ${answer.versionId} answered instead of ${expected}`)
  }
  const well = async (step: string, request: Parameters<typeof ask>[1]) =>
    expectStatus(step, await ask(step, request), 200)

  const credentials = { email, password }
  await well("sign-up/email", {
    body: { name: "Smoke", ...credentials },
    headers: { "accounts-smoke-code": code },
  })
  const stranger = { origin: "https://stranger.invalid" }
  const foreign = await ask("sign-in/email", { body: credentials, headers: stranger })
  expectStatus("sign-in/email from another origin", foreign, 403)
  const cookie = sessionCookie(await well("sign-in/email", { body: credentials }), place)
  expectUser(await well("get-session", { headers: { cookie } }), email)
  await well("delete-user", { body: { password }, headers: { cookie } })
  expectUser(await well("get-session", { headers: { cookie } }), undefined)
}

/** An address that only its code lets sign up, good for a while; see `app/auth/smoke.ts`. */
function smokeAddress(): string {
  const until = Math.floor(Date.now() / 1000) + lifetime
  return `smoke-${until}-${randomBytes(8).toString("hex")}@accounts.invalid`
}

function expectStatus(step: string, answer: Answer, status: number): Answer {
  if (answer.status === status) return answer
  const said = answer.text.slice(0, 200).replaceAll(/\s+/g, " ")
  throw new Error(`/api/auth/${step} answered ${answer.status} instead of ${status}: ${said}`)
}

function sessionCookie({ cookies }: Answer, { url }: Place): string {
  const cookie = cookies.find((text) => /^[\w.-]*session_token=./.test(text)) ?? ""
  const attributes = ["HttpOnly", "SameSite=Lax", ...(url.startsWith("https:") ? ["Secure"] : [])]
  const missing = attributes.filter((attribute) => !cookie.includes(`; ${attribute}`))
  if (cookie === "" || missing.length > 0) {
    throw new Error(`/api/auth/sign-in/email gave no session cookie with ${attributes.join(", ")}`)
  }
  return cookie.split(";")[0] ?? ""
}

function expectUser({ text }: Answer, email: string | undefined): void {
  const known = email === undefined ? text.trim() === "null" : text.includes(JSON.stringify(email))
  if (!known) {
    throw new Error(
      email === undefined
        ? "/api/auth/get-session still knows an account that was deleted"
        : "/api/auth/get-session does not know who has just signed in",
    )
  }
}
