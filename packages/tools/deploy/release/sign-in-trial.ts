import { createHmac, randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"

import type { Log } from "@accounts-stack/pulumi-host/log"

import { reasonOf } from "./health.ts"
import {
  type Override,
  type ServiceAddress,
  type ServiceResponse,
  type SmokeTest,
  describeRefusal,
  excerptOf,
  openConnection,
  overrideHeaders,
} from "./service-request.ts"

type SignInTrial = {
  address: ServiceAddress
  /** If undefined, only the health check decides. */
  smoke?: SmokeTest | undefined
  /** Sends every request to this version, regardless of its share of the traffic. */
  override?: Override
  /** The version that must answer. */
  expected: string
  /** When to stop retrying machines without the version, in milliseconds since 1970. */
  deadline: number
  log: Log
  signal: AbortSignal
}

/** Seconds for which the account may sign up. The service deletes it afterwards. */
const lifetime = 15 * 60
/** Failures of the expected version after which the trial fails. A broken version fails every time. */
const attempts = 3
/** Milliseconds between two attempts. */
const trialPause = 1000

/**
 * Signs up a smoke-test account, signs it in, reads its session and deletes it as the front end's
 * pages would, preflight included: no health check covers these. Logs the result.
 * @throws Error naming the request that failed
 */
export async function trySignIn({ smoke, log, ...trial }: SignInTrial): Promise<void> {
  if (smoke === undefined) {
    return log.info("health alone decided: no sign-in was tried")
  }
  const connection = openTrialConnection({ ...trial, origin: smoke.origin })
  try {
    await attemptRepeatedly({ ...trial, smoke, connection })
  } finally {
    connection.close()
  }
  log.info(`a smoke-test account signed up, signed in and was deleted on version ${trial.expected}`)
}

type Attempt = Omit<SignInTrial, "smoke" | "log"> & {
  smoke: SmokeTest
  connection: TrialConnection
}

async function attemptRepeatedly(trial: Attempt): Promise<void> {
  let wrong = 0
  for (;;) {
    trial.signal.throwIfAborted()
    try {
      return await attemptOnce(trial)
    } catch (error) {
      if (!(error instanceof NotPropagated)) wrong += 1
      if (wrong === attempts || Date.now() + trialPause >= trial.deadline) throw error
      trial.connection.close()
      await delay(trialPause, undefined, { signal: trial.signal })
    }
  }
}

async function attemptOnce({ address, smoke, connection }: Attempt): Promise<void> {
  const { key, origin } = smoke
  const password = randomBytes(24).toString("base64url")

  const preflight = async (step: string) => {
    const response = await connection.preflight(step)
    expectPreflight(step, response, origin)
    return response
  }
  const post = async (step: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = expectStatus(step, await connection.once(step, { body, headers }), 200)
    expectReadable(step, response, origin)
    return response
  }
  const session = async (cookie: string) =>
    expectStatus(
      "get-session",
      await connection.repeat("get-session", { headers: { cookie } }),
      200,
    )

  const email = smokeEmail(timeOf(await preflight("sign-up/email")))
  const credentials = { email, password }
  const code = createHmac("sha256", key).update(email).digest("hex")
  await post("sign-up/email", { name: "Smoke", ...credentials }, { "accounts-smoke-code": code })
  const stranger = { body: credentials, headers: { origin: untrustedOrigin } }
  const foreign = await connection.repeat("sign-in/email", stranger)
  expectStatus("sign-in/email from another origin", foreign, 403)
  await preflight("sign-in/email")
  const cookie = sessionCookie(await post("sign-in/email", credentials), address)
  expectUser(await session(cookie), email)
  await preflight("delete-user")
  await post("delete-user", { password }, { cookie })
  expectUser(await session(cookie), undefined)
}

/** Milliseconds by the service's clock: this machine's may be wrong by more than the account's lifetime. */
function timeOf({ headers: { date = "" } }: ServiceResponse): number {
  const time = Date.parse(date)
  return Number.isNaN(time) ? Date.now() : time
}

/** A reserved address may sign up only with its code, and for a limited time (app/service/guard/smoke.ts). */
function smokeEmail(now: number): string {
  const until = Math.floor(now / 1000) + lifetime
  return `smoke-${until}-${randomBytes(8).toString("hex")}@accounts.invalid`
}

/** Checks the response as a browser does before a page may send JSON with cookies. */
function expectPreflight(step: string, response: ServiceResponse, origin: string): void {
  const { status, headers, text } = response
  const allows = (header: string, word: string) =>
    String(headers[header] ?? "")
      .toLowerCase()
      .split(/\s*,\s*/)
      .includes(word)
  const allowed =
    status >= 200 &&
    status < 300 &&
    allowsOrigin(response, origin) &&
    allows("access-control-allow-methods", "post") &&
    allows("access-control-allow-headers", "content-type")
  if (allowed) return
  throw new Error(
    `/api/auth/${step}: the preflight of ${origin} was answered ${status}, without leave to send JSON with ` +
      `cookies. Is that origin among the trusted ones (accounts:webOrigin, accounts:trustedOrigins)? ${excerptOf(text)}`,
  )
}

function expectReadable(step: string, response: ServiceResponse, origin: string): void {
  if (allowsOrigin(response, origin)) return
  throw new Error(`/api/auth/${step}: a page of ${origin} may not read the answer`)
}

function allowsOrigin({ headers }: ServiceResponse, origin: string): boolean {
  return (
    headers["access-control-allow-origin"] === origin &&
    headers["access-control-allow-credentials"] === "true"
  )
}

function expectStatus(step: string, response: ServiceResponse, status: number) {
  if (response.status === status) return response
  const excerpt = excerptOf(response.text)
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
  const isExpectedUser =
    email === undefined ? text.trim() === "null" : text.includes(JSON.stringify(email))
  if (!isExpectedUser) {
    throw new Error(
      email === undefined
        ? "/api/auth/get-session still knows an account that was deleted"
        : "/api/auth/get-session does not know the account that just signed in",
    )
  }
}

/** A machine without the version answered, or none did, so the version was not tested. */
class NotPropagated extends Error {
  override name = "NotPropagated"
}

type Request = { body?: unknown; headers?: Record<string, string> }

type TrialConnection = ReturnType<typeof openTrialConnection>

/** Milliseconds for one request. */
const timeout = 15_000
/** Milliseconds before the first retry. The pause doubles, up to eight times this value. */
const firstPause = 250

/** Opens a connection for requests to `/api/auth/…` that only the expected version can answer. */
function openTrialConnection(options: {
  address: ServiceAddress
  override?: Override
  expected: string
  origin: string
  deadline: number
  signal: AbortSignal
}) {
  const { address, override, expected, origin, deadline, signal } = options
  const connection = openConnection(address)

  /** @throws NotPropagated when another version answered, which may have executed the request */
  const ask = async (step: string, request: Request & { method?: "OPTIONS" }) => {
    const path = `/api/auth/${step}`
    const headers = { origin, ...overrideHeaders(override), ...request.headers }
    const response = await connection
      .send({ ...request, path, headers, timeout })
      .catch((error: unknown) => {
        throw new NotPropagated(`${path}: no answer: ${reasonOf(error)}`, { cause: error })
      })
    const { versionId } = response
    if (versionId === expected) return response
    if (versionId === undefined) {
      throw new NotPropagated(`${path}: ${describeRefusal(response).problem}`)
    }
    throw new NotPropagated(`${path}: version ${versionId} answered instead of ${expected}`)
  }

  /** Retries on new connections until the version answers. Only for requests that change nothing. */
  const repeat = async (step: string, request: Request & { method?: "OPTIONS" }) => {
    for (let attempt = 0; ; attempt += 1) {
      signal.throwIfAborted()
      const pause = firstPause * Math.min(2 ** attempt, 8)
      try {
        return await ask(step, request)
      } catch (error) {
        if (!(error instanceof NotPropagated) || Date.now() + pause >= deadline) throw error
        connection.close()
      }
      await delay(pause, undefined, { signal })
    }
  }

  return {
    repeat,
    /** Sends the preflight of a page's POST. Finds a connection to the version for the POST itself. */
    preflight: (step: string) =>
      repeat(step, {
        method: "OPTIONS",
        headers: {
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type",
        },
      }),
    once: ask,
    close: () => connection.close(),
  }
}

/** An origin that does not exist. The trial sends one request from it, which the service must refuse. */
export const untrustedOrigin = "https://stranger.invalid"
