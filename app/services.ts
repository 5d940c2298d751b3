import { type Auth, createAuth } from "./auth/auth.ts"
import { createSessions, type Sessions } from "./auth/session-reader.ts"
import { type Configuration, readConfiguration } from "./configuration.ts"
import { createDatabase, type Database } from "./database.ts"
import type { Env } from "./env.ts"
import { log } from "./http/log.ts"
import type { PaymentProvider } from "./payment/provider.ts"
import { createStripe } from "./payment/stripe.ts"

/** What an isolate builds once from its bindings and every request shares. */
export type Isolate = {
  configuration: Configuration
  database: Database
  auth: Auth
  sessions: Sessions
  payments: PaymentProvider | undefined
}

const isolates = new WeakMap<Env, Isolate | null>()

/** Null where the configuration has problems: they are logged, and nothing is served. */
export function isolateOf(bound: Env): Isolate | null {
  const known = isolates.get(bound)
  if (known !== undefined) return known
  const isolate = build(bound)
  isolates.set(bound, isolate)
  return isolate
}

function build(bound: Env): Isolate | null {
  const reading = readConfiguration(bound)
  if ("problems" in reading) {
    log("error", "configuration.refused", { problems: reading.problems })
    return null
  }
  for (const warning of reading.warnings) log("warn", "configuration.incomplete", { warning })
  const { configuration } = reading
  const database = createDatabase(bound.DB)
  const auth = createAuth({ configuration, database, limit: bound.LIMIT_EMAIL })
  return {
    configuration,
    database,
    auth,
    sessions: createSessions({ configuration, database, auth }),
    payments: configuration.payment && createStripe(configuration.payment),
  }
}
