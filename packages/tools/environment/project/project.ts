import type { BuildOptions, Plugin } from "esbuild"
import type * as z from "zod"

import type { Rule } from "../rules/rule.ts"
import type { Readable, StackKeys, KeySchemas } from "../stack-keys.ts"
import type { BindingOf, Bindings } from "./binding.ts"

export { permanent } from "../stack-keys.ts"

/** Where a plain_text binding comes from. */
export type PlainSource = {
  /** The stack keys that the value is made of. */
  keys: string[]
  /** Undefined leaves the binding out. */
  valueOf(stack: object): string | undefined
}

/** A text that outlives a version: what people have made with it is of no use with another one. */
export type PersistentValue = {
  /** The loss that another value causes, as words that its value follows. */
  loses: string
  /** How to keep it, and how to say that it may be lost. */
  fix: string
  /** The text with which nothing is made. */
  nothing: string
  /** The text that the stack file gives up, or "any". */
  givenUp(stack: object): string | undefined
}

/** A secret whose former value stays beside it for a while after a rotation, as `<name>_PREVIOUS`. */
export type RotatedSecret = {
  /** The stack key with the time at which the new value takes over. `<name>_FROM` is its plain_text binding. */
  key: string
  /** Seconds for which the former value is needed after that. */
  lasts: number
  /** The purpose of the value, as in "signs". */
  does: string
  /** The purpose of the former value, as a clause. */
  keeps: string
  /** The effect of another value if the former one is not kept, as in "SIGNS EVERY MEMBER OUT". */
  loses: string
}

/** A secret that a stack makes itself, unless its file brings it. */
export type GeneratedSecret = {
  /** Suffix of the resource that has it. State has it by that name. */
  suffix: string
  /**
   * `besideSandbox`: not in a permanent environment, and only while the service of this URL is on this
   * machine.
   */
  made: "everywhere" | "unless permanent" | { besideSandbox(stack: Readable): string | undefined }
}

/** Code beside worker.js, which serves pages for people. */
type SecondModule = {
  name: string
  entryPoint: string
  /** A plain_text binding. */
  binding: string
  /** Path of the page that a first visit begins with. */
  firstPage: string
  /** How the paths begin that it answers. */
  paths: string[]
}

type Cookies = {
  /** Every cookie that a browser gets: by name, its attributes. */
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

/** SQL for operators. An address comes as a literal of SQL. */
type Operator = {
  owner: {
    /** Makes a user the first owner, with its audit entry. Nothing changes when it runs again. */
    grant: (user: { email: string; unverified: boolean }) => string[]
    /** Returns one row of 0 or 1: `owns`, `verified`, and `owned` if an owner can act. */
    standing: (email: string) => string
  }
  signOut: {
    /** Ends sessions, passwords and passkeys, with an audit entry. It may run again. */
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
     * Returns one row of numbers: `accounts`, those with a `passwordAlone`, the owners among them, those
     * `withProvider` of the ids, which are literals of SQL, those `withPasskey`, and those with `neither`;
     * and accounts without a second factor: `ownersWithoutFactor`, `adminsWithoutFactor`,
     * `membersWithoutFactor`.
     */
    count: (given: { providers: string[]; passkeys: boolean }) => string
  }
  /** Returns a row if a user has signed up. */
  anyUser: string
}

/** The service as the tools know it. */
export type Project = {
  /** Of this shape, and of what the tools ask the service by HTTP. */
  contract: 1
  bindings: Bindings
  /** Names of the bindings of an identity provider. */
  identityProviderBindings: (id: string) => { clientId: string; clientSecret: string }
  runtime: { compatibilityDate: string; compatibilityFlags: string[] }
  /** esbuild's options; paths are relative to the checkout. */
  bundling: Omit<BuildOptions, "entryPoints"> & { entryPoints: string[]; plugins: Plugin[] }
  /** Deployed beside worker.js, which imports it by its name, where its plain_text binding has a value. */
  secondModule?: SecondModule | undefined
  /** Module that exports `schemaUse()`, relative to the checkout: columns in use by table. */
  tables: string
  /** A script whose INSERTs are rows for a rehearsal of migrations, relative to the checkout. */
  rows?: string | undefined
  /**
   * Module that exports `tryOutbound(environment)`, relative to the checkout: it asks the services that a stack file
   * names as the Worker does, and resolves to a sentence for each that does not answer as the file says.
   */
  outbound?: string | undefined
  cookies: Cookies
  schemas: KeySchemas
  /** Paths of the service's HTTP. */
  paths: { apiPage: string; paymentWebhook: string; changeRole: string }
  operator: Operator
  /** Keys of stack files, beside those of the tools. */
  keys: z.ZodRawShape
  plain: Record<string, PlainSource>
  /** By binding, which is of plain_text. */
  lasting?: Record<string, PersistentValue>
  rotated: Record<string, RotatedSecret>
  /** Secrets in the order in which stacks generate them. */
  generated: Record<string, GeneratedSecret>
  /** Rules of stack files, beside those of the tools; their ids are A01 to A99. */
  rules: Rule[]
}

/** The keys of a stack file, with the project's own. */
type Stack<Keys extends z.ZodRawShape> = StackKeys & z.infer<z.ZodObject<Keys>>

/** Restricts a value to the keys that it names, so that docs/bindings.md names all of them. */
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
