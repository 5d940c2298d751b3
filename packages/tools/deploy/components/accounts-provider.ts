import * as pulumi from "@pulumi/pulumi"

import type * as cronTriggers from "../cron-triggers.ts"
import type * as databaseIdentity from "../database-identity.ts"
import type * as migrations from "../migrations/migrations.ts"
import type * as hostCheck from "../release/host-check.ts"
import type * as release from "../release/release.ts"
import type * as verification from "../release/verification.ts"
import type * as secret from "../secret.ts"
import type * as version from "../version/inputs.ts"
import type { Binding } from "../version/inputs.ts"

/** Inputs that the provider parses; any part of them may be known only later. */
type Args<Inputs> = { [Key in keyof Inputs]: Arg<Inputs[Key]> }
type Arg<Part> = pulumi.Input<Part> | (Part extends object ? Args<Part> : never)

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

/** Refuses a host that cannot be attached. Resources that must wait for it use its `scriptName`. */
export class HostCheck extends pulumi.CustomResource {
  declare readonly scriptName: pulumi.Output<string>
  /** The zone's id from the inputs, or looked up. */
  declare readonly zoneId: pulumi.Output<string>

  constructor(name: string, args: Args<hostCheck.Inputs>, options?: pulumi.CustomResourceOptions) {
    super("accounts:index:HostCheck", name, { zoneId: undefined, ...args }, options)
  }
}

/** The times at which a Worker runs without a request. Times set elsewhere are replaced. */
export class CronTriggers extends pulumi.CustomResource {
  constructor(
    name: string,
    args: Args<cronTriggers.Inputs>,
    options?: pulumi.CustomResourceOptions,
  ) {
    super("accounts:index:CronTriggers", name, args, options)
  }
}

/** Refuses the changes that would replace a database. The database waits for it by using its `name`. */
export class DatabaseIdentity extends pulumi.CustomResource {
  declare readonly name: pulumi.Output<string>

  constructor(
    name: string,
    args: Args<databaseIdentity.Inputs>,
    options?: pulumi.CustomResourceOptions,
  ) {
    super("accounts:index:DatabaseIdentity", name, args, options)
  }
}

/** Applies migrations. Resources that need the schema use its `databaseId`. */
export class Migrations extends pulumi.CustomResource {
  declare readonly databaseId: pulumi.Output<string>
  /** Name of the newest migration. */
  declare readonly head: pulumi.Output<string>
  /** The command that restores the database before the newest migration; undefined if another tool applied that. */
  declare readonly restore: pulumi.Output<string | undefined>

  constructor(name: string, args: Args<migrations.Inputs>, options?: pulumi.CustomResourceOptions) {
    const outputs = { head: undefined, restore: undefined }
    super("accounts:index:Migrations", name, { ...args, ...outputs }, options)
  }
}

/** A secret binding is one secret as a whole, so that its change shows as one line. */
export type BindingArgs = Arg<Binding>

/** Uploads a version of a Worker. It gets traffic once a Release deploys it. */
export class Version extends pulumi.CustomResource {
  declare readonly versionId: pulumi.Output<string>

  constructor(name: string, args: Args<version.Inputs>, options?: pulumi.CustomResourceOptions) {
    super("accounts:index:Version", name, { ...args, versionId: undefined }, options)
  }
}

export type ReleaseArgs = Args<release.Inputs>

/** Tries a version, then makes it live; on failure, restores the previous deployment. */
export class Release extends pulumi.CustomResource {
  /** Known once the version is live, so that routes and domains wait for it. */
  declare readonly scriptName: pulumi.Output<string>
  declare readonly versionId: pulumi.Output<string>
  declare readonly deploymentId: pulumi.Output<string>

  constructor(name: string, args: ReleaseArgs, options?: pulumi.CustomResourceOptions) {
    super("accounts:index:Release", name, { ...args, deploymentId: undefined }, options)
  }
}

/** Waits until the service is healthy at a new URL, or as a new Worker. */
export class Verification extends pulumi.CustomResource {
  constructor(
    name: string,
    args: Args<verification.Inputs>,
    options?: pulumi.CustomResourceOptions,
  ) {
    super("accounts:index:Verification", name, args, options)
  }
}

/** A random value, generated once and kept in state. */
export class Secret extends pulumi.CustomResource {
  /** base64url, without padding. */
  declare readonly value: pulumi.Output<string>

  constructor(name: string, args: Args<secret.Inputs>, options?: pulumi.CustomResourceOptions) {
    const secrets = pulumi.mergeOptions(options, { additionalSecretOutputs: ["value"] })
    super("accounts:index:Secret", name, { ...args, value: undefined }, secrets)
  }
}

/**
 * Logical name of resources that a stack has once, and prefix of all other names. A URN contains the stack
 * already. State has this name: a change needs an alias, or every resource is replaced.
 */
export const soleName = "accounts"
