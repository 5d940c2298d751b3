import { type BindingOf, identityProviderBindings } from "../app/bindings.ts"
import { permanent, type Environment } from "./environment/environment.ts"

/**
 * Those of an identity provider are named after it: `identityProviderBindings`. SCHEMA_USE comes from
 * the build, not from the stack.
 */
type PlainBinding = Exclude<BindingOf<"plain_text">, "IDP_CLIENT_ID" | "SCHEMA_USE">

type PlainSource = {
  /** The stack keys that the value is made of. */
  keys: (keyof Environment)[]
  /** Undefined leaves the binding out. */
  valueOf: (environment: Environment) => string | undefined
}

/** Restricts `valueOf` to the keys that it names, so that docs/bindings.md names all of them. */
function from<Key extends keyof Environment>(
  keys: Key[],
  valueOf: (environment: Pick<Environment, Key>) => string | undefined,
): PlainSource {
  return { keys, valueOf }
}

/** Where each plain_text binding of app/bindings.ts comes from. */
export const plainSources = {
  ENVIRONMENT: from(["environment"], ({ environment }) => environment),
  NODE_ENV: from(["environment"], (stack) => (permanent(stack) ? "production" : "development")),
  AUTH_URL: from(["apiOrigin"], ({ apiOrigin }) => apiOrigin),
  AUTH_SECRET_FROM: from(["authSecretFrom"], ({ authSecretFrom }) => authSecretFrom),
  AUTH_COOKIE_DOMAIN: from(["cookieDomain"], ({ cookieDomain }) => cookieDomain),
  AUTH_TRUSTED_ORIGIN: from(
    ["trustedOrigins", "webOrigin", "apiOrigin"],
    ({ webOrigin, apiOrigin, trustedOrigins = [webOrigin, apiOrigin] }) => trustedOrigins.join(","),
  ),
  WEB_URL: from(["webOrigin"], ({ webOrigin }) => webOrigin),
  VERIFY_EMAIL: from(["verifyEmail", "environment"], (stack) =>
    String(stack.verifyEmail ?? permanent(stack)),
  ),
  MAIL_URL: from(["mailUrl"], ({ mailUrl }) => mailUrl),
  MAIL_FROM: from(["mailFrom"], ({ mailFrom }) => mailFrom),
  KEEP_MAIL: from(["keepMail"], ({ keepMail }) => (keepMail ? "true" : undefined)),
  IDENTITY_PROVIDERS: from(["identityProviders"], ({ identityProviders }) => {
    const providers = Object.entries(identityProviders)
    if (providers.length === 0) return undefined
    return JSON.stringify(
      Object.fromEntries(
        providers.map(([id, { clientId: _clientId, ...declared }]) => [id, declared]),
      ),
    )
  }),
  READ_REPLICATION: from(["readReplication"], ({ readReplication }) =>
    readReplication === "auto" ? readReplication : undefined,
  ),
  TOKENS: from(["tokens"], ({ tokens }) => tokens && JSON.stringify(tokens)),
  SESSION_CACHE: from(["sessionCache"], ({ sessionCache }) => sessionCache?.toString()),
  SESSION_GRACE: from(["sessionGrace"], ({ sessionGrace }) => sessionGrace?.toString()),
  PAYMENT_URL: from(["paymentUrl"], ({ paymentUrl }) => paymentUrl),
} satisfies Record<PlainBinding, PlainSource>

/** Text of every plain_text binding that the environment sets, by name. */
export function plainBindings(environment: Environment): Record<string, string> {
  const sources: Record<string, PlainSource> = plainSources
  const values = Object.entries(sources).map(
    ([name, { valueOf }]) => [name, valueOf(environment)] as const,
  )
  const clientIds = Object.entries(environment.identityProviders).map(
    ([id, { clientId }]) => [identityProviderBindings(id).clientId, clientId] as const,
  )
  return Object.fromEntries(
    [...values, ...clientIds].filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** Whether the program gives a Worker a text of this name. */
export function isPlainBinding(name: string): boolean {
  return name === "SCHEMA_USE" || name in plainSources || /^IDP(?:_\w+)?_CLIENT_ID$/.test(name)
}
