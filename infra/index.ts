import {
  Database,
  Hostname,
  type ProgramOptions,
  readDeployment,
  Service,
  Verification,
} from "@accounts-stack/tools"
import * as pulumi from "@pulumi/pulumi"

/**
 * Declares one environment of Accounts: database, schema, Worker, release, hostname and verification. The state stores
 * each under its name here. Another resource needs only a line of its own.
 */
export async function program({ begun, tags, onGenerated }: ProgramOptions = {}) {
  const deployment = await readDeployment({ begun })
  const { provider, scriptName } = deployment
  const options = { providers: { accounts: provider } }

  const database = new Database("accounts", { ...deployment, name: scriptName }, options)
  const service = new Service("accounts", { ...deployment, database, tags }, options)
  if (onGenerated) pulumi.all(service.generated).apply(onGenerated)
  const hostname = new Hostname("accounts", { ...deployment, service }, options)
  new Verification("accounts", { ...deployment, service, hostname }, { provider })

  return {
    url: hostname.url,
    worker: service.script,
    versionId: service.versionId,
    deploymentId: service.deploymentId,
    databaseId: database.id,
    migrationsHead: database.head,
    databaseRestore: database.restore,
  }
}
