import type { BuildOptions, Plugin } from "esbuild"
import type * as z from "zod"

import type { Rule } from "../rules/rule.ts"
import type { Readable, StackKeys, KeySchemas } from "../stack-keys.ts"
import type { BindingOf, Bindings } from "./binding.ts"

export { permanent } from "../stack-keys.ts"

/** The source of a plain_text binding. */
export type PlainSource = {
  /** The stack keys from which the value is computed. */
  keys: string[]
  /** Returns undefined to leave the binding out. */
  valueOf(stack: object): string | undefined
}

/** A value that must not change with a new version: users' data that was made with it would become useless. */
export type PersistentValue = {
  /** The loss that another value causes, as a text that the current value follows. */
  loses: string
  /** How to keep the value, and how to allow its loss. */
  fix: string
  /** The value with which users make no data. */
  nothing: string
  /** Returns the value that the stack file allows to be lost, or "any". */
  givenUp(stack: object): string | undefined
}

/** A secret whose former value is kept for a while after a rotation, as `<name>_PREVIOUS`. */
export type RotatedSecret = {
  /** The stack key with the time at which the new value takes over. `<name>_FROM` is its plain_text binding. */
  key: string
  /** Seconds for which the former value is needed after the new value takes over. */
  lasts: number
  /** The purpose of the value, as in "signs". */
  does: string
  /** The purpose of the former value, as a clause. */
  keeps: string
  /** The effect of another value if the former one is not kept, as in "SIGNS EVERY MEMBER OUT". */
  loses: string
}

/** A secret that a stack generates unless its file has it. */
export type GeneratedSecret = {
  /** Suffix of the name of the resource that keeps the secret in state. */
  suffix: string
  /**
   * `besideSandbox`: not in a permanent environment, and only while the service of this URL is on this
   * machine.
   */
  made: "everywhere" | "unless permanent" | { besideSandbox(stack: Readable): string | undefined }
}

/** A module besides worker.js that serves pages. */
type SecondModule = {
  name: string
  entryPoint: string
  /** The plain_text binding whose value enables the module. */
  binding: string
  /** Path of the page for a first visit. */
  firstPage: string
  /** Prefixes of the paths that the module answers. */
  paths: string[]
}

type Cookies = {
  /** Returns the attributes of every cookie that a browser gets, by name. */
  browserCookies: (scope: {
    environment: string
    permanent: boolean
    url: string
    cookieDomain: string | undefined
    readReplication: boolean
    /** Whether the second module is deployed. */
    pages?: boolean | undefined
  }) => Record<string, string>
  /** Seconds. */
  sessionLifetime: number
}

/** SQL for operators. Addresses are passed as SQL literals. */
type Operator = {
  owner: {
    /** Makes a user the first owner, with an audit entry. Running it again changes nothing. */
    grant: (user: { email: string; unverified: boolean }) => string[]
    /** Returns one row of 0 or 1: `owns`, `verified`, and `owned` if an owner can act. */
    standing: (email: string) => string
  }
  signOut: {
    /** Ends sessions, passwords and passkeys, with an audit entry. It is safe to run again. */
    end: (email: string) => string[]
    /** Returns one row: `sessions`, `passwords`, `passkeys`, and `providers`, separated by commas. */
    access: (email: string) => string
  }
  secondFactor: {
    /** Returns a row with `isOn` (0 or 1), or none for an address without an account. */
    standing: (email: string) => string
    takeOff: (email: string) => string[]
  }
  ways: {
    /**
     * Returns one row of counts: `accounts`, `passwordAlone`, `ownersWithPasswordAlone`, `withProvider` (a
     * provider whose id is given, as an SQL literal), `withPasskey` and `neither`; and accounts without a
     * second factor: `ownersWithoutFactor`, `adminsWithoutFactor`, `membersWithoutFactor`.
     */
    count: (given: { providers: string[]; passkeys: boolean }) => string
  }
  /** Returns a row if a user has signed up. */
  anyUser: string
}

/** Describes the service to the tools. */
export type Project = {
  /** Version of this type, and of the HTTP requests that the tools send to the service. */
  contract: 1
  bindings: Bindings
  /** Names of the bindings of an identity provider. */
  identityProviderBindings: (id: string) => { clientId: string; clientSecret: string }
  runtime: { compatibilityDate: string; compatibilityFlags: string[] }
  /** esbuild's options; paths are relative to the checkout. */
  bundling: Omit<BuildOptions, "entryPoints"> & { entryPoints: string[]; plugins: Plugin[] }
  /** Deployed only if its plain_text binding has a value. worker.js imports it by its name. */
  secondModule?: SecondModule | undefined
  /** Module that exports `schemaUse()`, relative to the checkout: columns in use by table. */
  tables: string
  /** An SQL script that inserts rows for a rehearsal of migrations, relative to the checkout. */
  rows?: string | undefined
  /**
   * Module that exports `tryOutbound(environment)`, relative to the checkout. The function calls the services of a
   * stack file as the Worker does, and resolves to a sentence for each that does not answer as expected.
   */
  outbound?: string | undefined
  cookies: Cookies
  schemas: KeySchemas
  /** Paths of the service's HTTP API. */
  paths: { apiPage: string; paymentWebhook: string; changeRole: string }
  operator: Operator
  /** Keys of stack files, in addition to the tools' keys. */
  keys: z.ZodRawShape
  plain: Record<string, PlainSource>
  /** Values by the name of their plain_text binding. */
  lasting?: Record<string, PersistentValue>
  rotated: Record<string, RotatedSecret>
  /** Secrets in the order in which stacks generate them. */
  generated: Record<string, GeneratedSecret>
  /** Rules of stack files, in addition to the tools' rules; their ids are A01 to A99. */
  rules: Rule[]
}

/** The keys of a stack file, including the project's own. */
type Stack<Keys extends z.ZodRawShape> = StackKeys & z.infer<z.ZodObject<Keys>>

/** Gives `valueOf` only the keys in `keys`, so that docs/bindings.md lists every key in use. */
type From<Keys extends z.ZodRawShape> = <Key extends keyof Stack<Keys>>(
  keys: Key[],
  valueOf: (stack: Pick<Stack<Keys>, Key>) => string | undefined,
) => PlainSource

/** SCHEMA_USE comes from the build, and client ids from `accounts:identityProviders`. */
type PlainBinding<Table extends Bindings> = Exclude<
  BindingOf<Table, "plain_text">,
  "SCHEMA_USE" | "IDP_CLIENT_ID"
>

/** Does not compile while a plain_text binding has no source. */
export function defineProject<
  Table extends Bindings,
  Keys extends z.ZodRawShape,
  Secret extends BindingOf<Table, "secret_text">,
>(
  project: Omit<Project, "bindings" | "keys" | "plain" | "generated" | "rules"> & {
    bindings: Table
    keys: Keys
    plain: (from: From<Keys>) => Record<PlainBinding<Table>, PlainSource>
    generated: Record<Secret, GeneratedSecret>
    rules: Rule<z.infer<z.ZodObject<Keys>>>[]
  },
): Project {
  return { ...project, plain: project.plain(from) }
}

function from<Known, Key extends keyof Known>(
  keys: Key[],
  valueOf: (stack: Pick<Known, Key>) => string | undefined,
): PlainSource {
  return { keys: keys.map(String), valueOf }
}
