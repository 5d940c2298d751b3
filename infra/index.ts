import { relative } from "node:path"

import * as pulumi from "@pulumi/pulumi"

import { Database } from "./database/database.ts"
import { readMigrations } from "./database/migration-files.ts"
import { readStack } from "./environment/read.ts"
import { physicalName } from "./environment/rules.ts"
import { Hostname } from "./hostname/hostname.ts"
import { AccountsProvider, Verification } from "./provider/resources.ts"
import { infraDirectory, migrationsDirectory } from "./root.ts"
import { bundle as bundleApp } from "./service/bundle.ts"
import { Service } from "./service/service.ts"

/** One environment of Accounts: database, schema, Worker, release, hostname, and the proof that it answers. */
export async function program() {
  const stack = pulumi.getStack()
  const { environment, baseUrl } = readStack({
    name: stack,
    file: `Pulumi.${stack}.yaml`,
    configuration: pulumi.runtime.allConfig(),
  })
  const name = physicalName(stack)
  const migrations = await readMigrations(migrationsDirectory)
  const bundle = await bundleApp({ migrationsHead: migrations.at(-1)?.name ?? "" })

  const provider = new AccountsProvider("accounts", { baseUrl })
  const options = { providers: { accounts: provider } }
  const directory = relative(infraDirectory, migrationsDirectory)

  const database = new Database(name, { environment, directory, migrations }, options)
  const service = new Service(name, { environment, stack, database, bundle }, options)
  const hostname = new Hostname(name, { environment, service }, options)

  const { connectTo } = environment
  new Verification(name, { url: hostname.url, ...(connectTo ? { connectTo } : {}) }, { provider })

  return {
    url: hostname.url,
    worker: service.script,
    versionId: service.versionId,
    deploymentId: service.deploymentId,
    databaseId: database.id,
    migrationsHead: database.head,
  }
}
