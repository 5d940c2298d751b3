import type { MigrationFile } from "@accounts-stack/d1-migrations/files"
import { D1Database } from "@pulumi/cloudflare/d1database.js"
import * as pulumi from "@pulumi/pulumi"

import { protection, type Environment } from "../../environment/environment.ts"
import { permanent } from "../../environment/stack-keys.ts"
import { DatabaseIdentity, Migrations } from "./accounts-provider.ts"

type DatabaseArgs = {
  environment: Environment
  /** The database's own name. */
  name: pulumi.Input<string>
  /** Directory of the migrations, relative to `infra/`. */
  directory: string
  /** All files of `directory`, in the order of their numbers. */
  migrations: Pick<MigrationFile, "name" | "sha256">[]
  /** The schema use of the version that the run releases. */
  schemaUse: string
}

/** A D1 database whose schema is up to date once its `id` resolves. */
export class Database extends pulumi.ComponentResource {
  readonly id: pulumi.Output<string>
  /** Name of the newest applied migration. */
  readonly head: pulumi.Output<string>
  /** The command that restores the database before the newest migration. */
  readonly restore: pulumi.Output<string>

  constructor(logicalName: string, args: DatabaseArgs, opts?: pulumi.ComponentResourceOptions) {
    super("accounts:infra:Database", logicalName, {}, opts)
    const { environment, name, directory, migrations, schemaUse } = args
    const { accountId, jurisdiction, location, readReplication } = environment

    const identity = new DatabaseIdentity(
      logicalName,
      { accountId, name, jurisdiction, location },
      { parent: this },
    )
    const database = new D1Database(
      logicalName,
      {
        accountId,
        name: identity.name,
        ...(jurisdiction ? { jurisdiction } : {}),
        ...(location ? { primaryLocationHint: location } : {}),
        // Without it every refresh would report drift.
        readReplication: { mode: readReplication },
      },
      // Cloudflare never returns the location hint, so without `ignoreChanges` an imported database would be replaced.
      {
        parent: this,
        protect: protection(environment).database,
        ignoreChanges: ["primaryLocationHint"],
        // The first two change with the rows; the provider lists all four with any other change.
        hideDiffs: ["fileSize", "numTables", "createdAt", "version"],
      },
    )

    const schema = new Migrations(
      logicalName,
      {
        accountId,
        databaseId: database.uuid,
        directory,
        files: migrations.map(({ name: file, sha256 }) => ({ name: file, sha256 })),
        scriptName: identity.name,
        // Only its developer depends on a version of the local environment.
        protectLive: environment.environment !== "local",
        schemaUse,
        ...(permanent(environment) ? {} : { fresh: freshCommand(pulumi.getStack(), environment) }),
      },
      { parent: this },
    )

    // Takes the id from the migrations, so that every consumer of the id waits for the schema.
    this.id = schema.databaseId
    this.head = schema.head
    this.restore = schema.restore.apply((command) => command ?? "no bookmark was recorded")
    this.registerOutputs({ id: this.id, head: this.head })
  }
}

function freshCommand(stack: string, { connectTo }: Environment): string {
  if (stack === "local") return "npm start -- --fresh"
  // Only previews on a local Cloudflare have another address to connect to.
  const here = connectTo === undefined ? "" : " --local"
  return stack.startsWith("preview-")
    ? `./accounts branch up${here} --fresh`
    : `./accounts up -s ${stack}${here} --fresh`
}
