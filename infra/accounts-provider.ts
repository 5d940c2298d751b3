import * as pulumi from "@pulumi/pulumi"

import type { Binding } from "../provider/version/binding.ts"

/** The project's own provider. It reads its token from CLOUDFLARE_API_TOKEN. */
export class AccountsProvider extends pulumi.ProviderResource {
  constructor(
    name: string,
    args: { baseUrl: pulumi.Input<string> },
    options?: pulumi.ResourceOptions,
  ) {
    super("accounts", name, args, options)
  }
}

export type HostCheckArgs = {
  accountId: string
  scriptName: string
  hostname: string
  attach: "domain" | "route"
  /** Of a host on workers.dev there is none. */
  zone?: string
  zoneId?: string
  /** Patterns of the routes that the stack makes. */
  routes: string[]
}

/** Refuses a host that cannot be attached. What must wait for that takes the script's name from here. */
export class HostCheck extends pulumi.CustomResource {
  declare readonly scriptName: pulumi.Output<string>
  /** Given, or looked up. */
  declare readonly zoneId: pulumi.Output<string>

  constructor(name: string, args: HostCheckArgs, options?: pulumi.CustomResourceOptions) {
    super("accounts:index:HostCheck", name, { zoneId: undefined, ...args }, options)
  }
}

export type CronTriggersArgs = {
  accountId: pulumi.Input<string>
  scriptName: pulumi.Input<string>
  crons: string[]
}

/** When a Worker runs by itself. What somebody else has set is replaced. */
export class CronTriggers extends pulumi.CustomResource {
  constructor(name: string, args: CronTriggersArgs, options?: pulumi.CustomResourceOptions) {
    super("accounts:index:CronTriggers", name, args, options)
  }
}

export type DatabaseIdentityArgs = {
  accountId: pulumi.Input<string>
  name: pulumi.Input<string>
  jurisdiction?: pulumi.Input<string | undefined>
  location?: pulumi.Input<string | undefined>
}

/** Refuses the changes that would replace a database. The database takes its name from here. */
export class DatabaseIdentity extends pulumi.CustomResource {
  declare readonly name: pulumi.Output<string>

  constructor(name: string, args: DatabaseIdentityArgs, options?: pulumi.CustomResourceOptions) {
    super("accounts:index:DatabaseIdentity", name, args, options)
  }
}

export type MigrationsArgs = {
  accountId: pulumi.Input<string>
  databaseId: pulumi.Input<string>
  /** Relative to `infra/`, or absolute. */
  directory: pulumi.Input<string>
  files: pulumi.Input<pulumi.Input<{ name: string; sha256: string }>[]>
  /** The Worker whose versions use the database. */
  scriptName: pulumi.Input<string>
  /** Whether a file that a version with traffic cannot work with is refused, or only said. */
  protectLive: pulumi.Input<boolean>
  /** What the version that follows uses of the schema. */
  schemaUse: pulumi.Input<string>
  /** The command that makes the database again, where its rows may go. */
  fresh?: string
}

/** Applies migrations. A resource that needs the schema takes `databaseId` from here. */
export class Migrations extends pulumi.CustomResource {
  declare readonly databaseId: pulumi.Output<string>
  /** Name of the newest migration. */
  declare readonly head: pulumi.Output<string>
  /** The command that leads back to before the newest migration, if this provider applied it. */
  declare readonly restore: pulumi.Output<string | undefined>

  constructor(name: string, args: MigrationsArgs, options?: pulumi.CustomResourceOptions) {
    const outputs = { head: undefined, restore: undefined }
    super("accounts:index:Migrations", name, { ...args, ...outputs }, options)
  }
}

export type VersionArgs = {
  accountId: pulumi.Input<string>
  scriptName: pulumi.Input<string>
  /** SHA-256 of the bundle, which the program has stored. */
  bundle: pulumi.Input<string>
  compatibilityDate: pulumi.Input<string>
  compatibilityFlags: pulumi.Input<pulumi.Input<string>[]>
  bindings: Record<string, BindingArgs>
  placement?: "smart"
  /** Processor time of a request; Cloudflare's default if left out. */
  cpuMs?: number
}

/** A secret is one as a whole, so that its change shows as one line. */
export type BindingArgs =
  | Exclude<Binding, { type: "d1" | "secret_text" }>
  | { type: "d1"; database_id: pulumi.Input<string> }
  | pulumi.Output<Extract<Binding, { type: "secret_text" }>>

/** Uploads a version of a Worker. It serves once a Release deploys it. */
export class Version extends pulumi.CustomResource {
  declare readonly versionId: pulumi.Output<string>

  constructor(name: string, args: VersionArgs, options?: pulumi.CustomResourceOptions) {
    super("accounts:index:Version", name, { ...args, versionId: undefined }, options)
  }
}

/** The secret SMOKE_KEY, and the origin of the front end. */
type SmokeTestArgs = { key: pulumi.Output<string>; origin: string }

type TrialArgs = {
  url: pulumi.Input<string>
  /** `http://127.0.0.1:PORT`: connect there instead of resolving the URL's host. */
  connectTo?: pulumi.Input<string | undefined>
  /** Sent with every request of a trial. */
  trialHeaders?: Record<string, pulumi.Output<string>>
  /** Credentials for the trial sign-in. */
  smoke: SmokeTestArgs
}

export type ReleaseArgs = TrialArgs & {
  accountId: pulumi.Input<string>
  scriptName: pulumi.Input<string>
  versionId: pulumi.Input<string>
  /** Name of the URL's zone, whose routes may lead to the Worker. */
  zone?: string
  /** Its id, for tokens that cannot look zones up by name. */
  zoneId?: pulumi.Input<string>
  /** Rising percentages of the traffic, the last of them 100. */
  steps: pulumi.Input<pulumi.Input<number>[]>
  /** Seconds for which the version must stay healthy at each step but the last. */
  bake?: pulumi.Input<number>
}

/** Tries a version, then makes it live; if that fails, what served before serves again. */
export class Release extends pulumi.CustomResource {
  /** Known once the version is live, so that routes and domains wait for it. */
  declare readonly scriptName: pulumi.Output<string>
  declare readonly versionId: pulumi.Output<string>
  declare readonly deploymentId: pulumi.Output<string>

  constructor(name: string, args: ReleaseArgs, options?: pulumi.CustomResourceOptions) {
    super("accounts:index:Release", name, { ...args, deploymentId: undefined }, options)
  }
}

export type VerificationArgs = TrialArgs & {
  accountId: pulumi.Input<string>
  /** The Worker whose version has to answer. */
  scriptName: pulumi.Input<string>
  /** Name of the URL's zone, whose own name servers are asked for a new host. */
  zone?: pulumi.Input<string>
  /** What the environment is, as its effective file says it: a later plan compares with it. */
  facts?: Record<string, string>
}

/** Waits until the service is healthy at a new URL. */
export class Verification extends pulumi.CustomResource {
  constructor(name: string, args: VerificationArgs, options?: pulumi.CustomResourceOptions) {
    super("accounts:index:Verification", name, args, options)
  }
}

/** A random value, generated once and kept in state. */
export class Secret extends pulumi.CustomResource {
  /** base64url, without padding. */
  declare readonly value: pulumi.Output<string>

  constructor(
    name: string,
    args: { bytes: pulumi.Input<number>; rotation?: pulumi.Input<number> },
    options?: pulumi.CustomResourceOptions,
  ) {
    const secrets = pulumi.mergeOptions(options, { additionalSecretOutputs: ["value"] })
    super("accounts:index:Secret", name, { ...args, value: undefined }, secrets)
  }
}
