import { createHash, randomBytes, randomInt } from "node:crypto"

import { Hono } from "hono"
import * as z from "zod"

import { parse, requireToken } from "../http.ts"
import type { Sandbox } from "../sandbox.ts"

const Leaked = z.strictObject({ passwords: z.array(z.string()) })

/**
 * The services at the local stack's `accounts:checksUrl`: the password ranges of Have I Been Pwned, and Turnstile.
 * Callers with the token can add leaked passwords and inject faults.
 */
export const checks: Sandbox = {
  name: "checks",
  port: 8794,
  open({ token }) {
    const faults = createFaults()
    const ranges = createRanges()
    const turnstile = createTurnstile()
    const routes = new Hono()

    routes.get("/range/:prefix", async (c) => {
      const broken = await faults.answer("ranges")
      if (broken !== undefined) return broken
      const isPadded = c.req.header("add-padding") === "true"
      const range = ranges.read(c.req.param("prefix"), isPadded)
      if (range === undefined) return c.text("The hash prefix was not in a valid format", 400)
      return c.text(range)
    })

    routes.get("/turnstile/v0/api.js", (c) =>
      c.body(widget, 200, {
        "content-type": "text/javascript",
        "cross-origin-resource-policy": "cross-origin",
      }),
    )
    routes.post("/turnstile/v0/siteverify", async (c) => {
      const broken = await faults.answer("turnstile")
      return broken ?? c.json(turnstile.verify(await c.req.parseBody()))
    })

    routes.use("/local/*", requireToken(token))
    routes.get("/local/status", (c) => c.json({ asked: ranges.asked(), faults: faults.current() }))
    routes.put("/local/leaked", async (c) => {
      ranges.leak(parse(Leaked, await c.req.json()).passwords)
      return c.body(null, 204)
    })
    routes.put("/local/faults", async (c) => {
      faults.inject(parse(Faults, await c.req.json()))
      return c.json(faults.current())
    })
    return { routes, close: () => undefined }
  },
}

const kinds = ["down", "silent", "endless", "redirect", "nonsense"] as const

const Fault = z.enum(kinds).nullable()

/** Faults by service; null means that the service works. */
const Faults = z.strictObject({
  ranges: Fault.default(null),
  turnstile: Fault.default(null),
})

type Faults = z.infer<typeof Faults>

function createFaults() {
  let faults: Faults = { ranges: null, turnstile: null }
  const answers: Record<(typeof kinds)[number], () => Response | Promise<Response>> = {
    down: () => new Response("Down: the fault `down` is set", { status: 503 }),
    silent: () => new Promise(() => undefined),
    endless: () => new Response(endless(), { headers: { "content-type": "text/plain" } }),
    redirect: () => new Response(null, { status: 302, headers: { location: "/elsewhere" } }),
    nonsense: () => new Response("<!doctype html><title>Sign in to this network</title>"),
  }
  return {
    current: () => faults,
    inject: (injected: Faults) => {
      faults = injected
    },
    /** Returns the faulty response of a service; undefined if it has no fault. */
    answer: async (service: keyof Faults) => {
      const fault = faults[service]
      return fault === null ? undefined : answers[fault]()
    },
  }
}

/** Returns an endless list, produced as fast as it is read. */
function endless() {
  const chunk = new TextEncoder().encode(`${"0".repeat(35)}:1\r\n`.repeat(100))
  return new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(chunk) })
}

/** Minimum and maximum number of lines in a padded response. */
const padded = [800, 1000] as const

/** Passwords from real leaks that are long enough for the service. */
const leakedPasswords = ["password", "12345678", "password1", "qwertyuiop"]

/** Serves leaked passwords by SHA-1 prefix of five digits: https://haveibeenpwned.com/API/v3#PwnedPasswords */
function createRanges() {
  const hashes = new Set(leakedPasswords.map(hashOf))
  const requestedPrefixes: string[] = []
  return {
    /** Returns the requested prefixes, oldest first. */
    asked: () => requestedPrefixes,
    leak: (passwords: string[]) => {
      for (const password of passwords) hashes.add(hashOf(password))
    },
    /** Returns the lines of a range; undefined for an invalid prefix. */
    read: (prefix: string, isPadded: boolean) => {
      if (!/^[0-9a-f]{5}$/i.test(prefix)) return undefined
      requestedPrefixes.push(prefix)
      const matches = [...hashes].filter((hash) => hash.startsWith(prefix.toUpperCase()))
      const lines = matches.map((hash) => `${hash.slice(5)}:${randomInt(1, 10_000)}`)
      const missing = isPadded ? randomInt(padded[0], padded[1] + 1) - lines.length : 0
      const padding = Array.from({ length: missing }, () => `${randomSuffix()}:0`)
      return [...lines, ...padding].toSorted().join("\r\n")
    },
  }
}

function hashOf(password: string): string {
  return createHash("sha1").update(password).digest("hex").toUpperCase()
}

function randomSuffix(): string {
  return randomBytes(18).toString("hex").toUpperCase().slice(1)
}

/** Milliseconds for which a token is valid. */
const lifetime = 300_000

const Token = z.object({
  id: z.string(),
  action: z.string(),
  hostname: z.string(),
  /** Unix time (ms). */
  at: z.number(),
})

const Question = z.looseObject({ secret: z.string().default(""), response: z.string().default("") })

/**
 * Verifies Turnstile tokens. Each is valid once, and contains the action and the host that it was created for.
 * https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
 */
function createTurnstile() {
  const used = new Set<string>()
  return {
    verify: (question: unknown) => {
      const { secret, response } = Question.parse(question)
      if (secret === "") return refuse("missing-input-secret")
      if (response === "") return refuse("missing-input-response")
      const token = response.length > 2048 ? undefined : read(response)
      if (token === undefined) return refuse("invalid-input-response")
      const { id, action, hostname, at } = token
      if (used.has(id) || Date.now() > at + lifetime) return refuse("timeout-or-duplicate")
      used.add(id)
      const challenge_ts = new Date(at).toISOString()
      return { success: true, "error-codes": [], challenge_ts, hostname, action, cdata: "" }
    },
  }
}

function refuse(code: string) {
  return { success: false, "error-codes": [code] }
}

function read(token: string) {
  try {
    return Token.parse(JSON.parse(Buffer.from(token, "base64url").toString()))
  } catch {
    return undefined
  }
}

/** The widget's script. It accepts every visitor without a challenge. */
const widget = `for (const place of document.querySelectorAll(".cf-turnstile")) {
  const { sitekey, action = "", responseFieldName = "cf-turnstile-response" } = place.dataset
  const made = { id: crypto.randomUUID(), action, hostname: location.hostname, at: Date.now() }
  const field = document.createElement("input")
  field.type = "hidden"
  field.name = responseFieldName
  field.value = btoa(JSON.stringify(made)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
  place.append(field, "Turnstile, sandbox of " + sitekey)
}
`
