import { createEmails } from "./letters.ts"
import { createStripe } from "./payment/stripe.ts"
import { records } from "./records.ts"
import { schema } from "./schema.ts"
import { createAttempts } from "./service/guard/attempts.ts"
import { readConfiguration } from "./service/platform/configuration/configuration.ts"
import type { Env } from "./service/platform/configuration/env.ts"
import { ownCookies } from "./service/platform/cookie/browser-cookies.ts"
import { boundDatabase, ofNoRequest } from "./service/platform/database/bounded-database.ts"
import { createDatabase } from "./service/platform/database/database.ts"
import { createReplicas } from "./service/platform/database/replicas.ts"
import { log } from "./service/platform/http/log.ts"
import { keepLetter, type Mail, sendMail } from "./service/platform/mail/mail.ts"
import { createLetters } from "./service/platform/mail/owed-letters.ts"
import { createAuth } from "./service/routes/auth.ts"
import { createSessionReader } from "./service/session/session-reader.ts"
import { createTokens } from "./service/session/token/tokens.ts"

/** Built once per isolate from its bindings, and again when a rotated secret takes over. */
export type Services = NonNullable<ReturnType<typeof build>>

const built = new WeakMap<Env, Services | null>()

/** Returns null if the configuration has problems. They are logged, and the service answers 503. */
export function servicesOf(env: Env): Services | null {
  const existing = built.get(env)
  const rereadAt = existing?.configuration.rereadAt ?? Infinity
  if (existing !== undefined && Date.now() < rereadAt) return existing
  const services = build(env)
  built.set(env, services)
  return services
}

function build(env: Env) {
  const reading = readConfiguration(env)
  if ("problems" in reading) {
    log("error", "configuration.refused", { problems: reading.problems })
    return null
  }
  for (const warning of reading.warnings) log("warn", "configuration.incomplete", { warning })
  const { configuration } = reading
  const replicas = configuration.readReplication ? createReplicas(env.DB) : undefined
  const database = createDatabase(boundDatabase(replicas?.database ?? env.DB), schema)
  const { mail, keepMail, keys } = configuration
  const post = mail && ((letter: Mail) => sendMail(mail, letter))
  const keep = (letter: Mail) => ofNoRequest(() => keepLetter(database, letter))
  const deliver = keepMail ? keep : post
  const emails = deliver && createEmails({ deliver, ...configuration })
  const letters = createLetters(database, emails)
  const limit = env.LIMIT_EMAIL
  const auth = createAuth({ configuration, database, schema, records, limit, emails, letters })
  return {
    configuration,
    /** The cookies that requests may send. */
    cookies: ownCookies(configuration),
    database,
    /** Undefined unless the environment has read replication. */
    replicas,
    auth,
    letters,
    records,
    /** Undefined if the environment has no mail service. */
    emails,
    attempts: createAttempts(database, keys),
    sessions: createSessionReader({ configuration, database, auth }),
    /** Undefined if this environment issues no tokens for other services. */
    tokens: createTokens(configuration),
    /** Undefined unless the payment bindings are set. */
    payments: configuration.payment && createStripe(configuration.payment),
    /** Both limits are undefined unless the rate limiters are bound. */
    memberLimit: env.LIMIT_MEMBER,
    emailLimit: env.LIMIT_EMAIL,
  }
}
