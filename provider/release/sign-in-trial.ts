import { createHmac, randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"

import type { Log } from "../protocol/log.ts"
import { overrideHeaders, type Override } from "./override.ts"
import { requestService, type ServiceResponse } from "./service-request.ts"
import type { ServiceAddress, SmokeTest } from "./shared-inputs.ts"

export type SignInTrial = {
  address: ServiceAddress
  /** Without it health alone decides. */
  smoke: SmokeTest | undefined
  /** Sends every request to this version, whatever its share of the traffic. */
  override?: Override
  /** The version that has to answer. */
  expected: string
  log: Log
  signal: AbortSignal
}

type Attempt = Omit<SignInTrial, "smoke" | "log"> & { smoke: SmokeTest }

/** Seconds in which the account may sign up; the service deletes it afterwards. */
const lifetime = 15 * 60
/** Retries lost answers; a version that is really broken fails every attempt. */
const attempts = 3
/** Milliseconds for one request. */
const timeout = 15_000
/** Milliseconds between two attempts. */
const pause = 1000

/**
 * Signs up a smoke-test account, signs it in, reads its session and deletes it: no health check
 * covers these. Logs the result. @throws Error naming the request that failed
 */
export async function trySignIn({ smoke, log, ...trial }: SignInTrial): Promise<void> {
  if (smoke === undefined) {
    return log.info("health alone decided: SMOKE_KEY is not among the stack's secrets")
  }
  await attemptRepeatedly({ ...trial, smoke })
  log.info(`a smoke-test account signed up, signed in and was deleted on version ${trial.expected}`)
}

async function attemptRepeatedly(trial: Attempt): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    trial.signal.throwIfAborted()
    try {
      return await attemptOnce(trial)
    } catch (error) {
      if (attempt === attempts) throw error
      await delay(pause, undefined, { signal: trial.signal })
    }
  }
}

async function attemptOnce({ address, smoke, override, expected }: Attempt): Promise<void> {
  const { key, origin } = smoke
  const email = smokeEmail()
  const password = randomBytes(24).toString("base64url")
  const code = createHmac("sha256", key).update(email).digest("hex")

  const send = async (
    step: string,
    request: { body?: unknown; headers?: Record<string, string> },
  ) => {
    const headers = { origin, ...overrideHeaders(override), ...request.headers }
    const path = `/api/auth/${step}`
    const response = await requestService({ address, path, headers, body: request.body, timeout })
    if (response.versionId === expected) return response
    throw new Error(`${path}: version ${response.versionId} answered instead of ${expected}`)
  }
  const succeed = async (step: string, request: Parameters<typeof send>[1]) =>
    expectStatus(step, await send(step, request), 200)

  const credentials = { email, password }
  await succeed("sign-up/email", {
    body: { name: "Smoke", ...credentials },
    headers: { "accounts-smoke-code": code },
  })
  const stranger = { origin: "https://stranger.invalid" }
  const foreign = await send("sign-in/email", { body: credentials, headers: stranger })
  expectStatus("sign-in/email from another origin", foreign, 403)
  const cookie = sessionCookie(await succeed("sign-in/email", { body: credentials }), address)
  expectUser(await succeed("get-session", { headers: { cookie } }), email)
  await succeed("delete-user", { body: { password }, headers: { cookie } })
  expectUser(await succeed("get-session", { headers: { cookie } }), undefined)
}

/** A reserved address: only with its code, and for a limited time, may it sign up (app/auth/smoke.ts). */
function smokeEmail(): string {
  const until = Math.floor(Date.now() / 1000) + lifetime
  return `smoke-${until}-${randomBytes(8).toString("hex")}@accounts.invalid`
}

function expectStatus(step: string, response: ServiceResponse, status: number) {
  if (response.status === status) return response
  const excerpt = response.text.slice(0, 200).replaceAll(/\s+/g, " ")
  throw new Error(`/api/auth/${step} answered ${response.status} instead of ${status}: ${excerpt}`)
}

function sessionCookie({ cookies }: ServiceResponse, { url }: ServiceAddress): string {
  const cookie = cookies.find((text) => /^[\w.-]*session_token=./.test(text)) ?? ""
  const attributes = ["HttpOnly", "SameSite=Lax", ...(url.startsWith("https:") ? ["Secure"] : [])]
  const missing = attributes.filter((attribute) => !cookie.includes(`; ${attribute}`))
  if (cookie === "" || missing.length > 0) {
    throw new Error(`/api/auth/sign-in/email gave no session cookie with ${attributes.join(", ")}`)
  }
  return cookie.split(";")[0] ?? ""
}

function expectUser({ text }: ServiceResponse, email: string | undefined): void {
  const known = email === undefined ? text.trim() === "null" : text.includes(JSON.stringify(email))
  if (!known) {
    throw new Error(
      email === undefined
        ? "/api/auth/get-session still knows an account that was deleted"
        : "/api/auth/get-session does not know the account that just signed in",
    )
  }
}
