import * as cloudflare from "@pulumi/cloudflare"
import * as pulumi from "@pulumi/pulumi"

import type { Database } from "../database/database.ts"
import { permanent, type Environment } from "../environment/environment.ts"
import { Release, Secret } from "../provider/resources.ts"
import { bindingsOf } from "./bindings.ts"
import type { Bundle } from "./bundle.ts"
import { madeSecrets, secretsToMake } from "./made-secrets.ts"

type ServiceArgs = {
  environment: Environment
  database: Database
  bundle: Bundle
  /** Stack name, tagged on the Worker so that an account shows whose it is. */
  stack: string
}

const COMPATIBILITY_DATE = "2026-08-01"

/** The Worker, its version, and the release that gives it traffic. */
export class Service extends pulumi.ComponentResource {
  /** Script name, known once the release is live: whatever leads traffic here waits for it. */
  readonly script: pulumi.Output<string>
  readonly versionId: pulumi.Output<string>
  readonly deploymentId: pulumi.Output<string>

  constructor(name: string, args: ServiceArgs, opts?: pulumi.ComponentResourceOptions) {
    super("accounts:infra:Service", name, {}, opts)
    const { environment, database, bundle, stack } = args
    const {
      accountId,
      apiOrigin,
      connectTo,
      patience,
      protect = permanent(environment),
    } = environment

    const worker = new cloudflare.Worker(
      name,
      {
        accountId,
        name,
        logpush: false,
        tags: [`stack=${stack}`, `environment=${environment.environment}`],
        subdomain: {
          enabled: new URL(apiOrigin).hostname.endsWith(".workers.dev"),
          previewsEnabled: false,
        },
        // Every leaf is named: what is left out comes back from the API and reads as drift.
        observability: {
          enabled: true,
          headSamplingRate: 1,
          logs: {
            enabled: true,
            headSamplingRate: 1,
            invocationLogs: true,
            persist: true,
            destinations: [],
          },
          traces: {
            enabled: false,
            headSamplingRate: 1,
            persist: true,
            destinations: [],
            propagationPolicy: "authenticated",
          },
        },
      },
      { parent: this, protect },
    )

    const version = new cloudflare.WorkerVersion(
      name,
      {
        accountId,
        workerId: worker.id,
        mainModule: "worker.js",
        modules: bundle.modules,
        bindings: bindingsOf({
          environment,
          script: name,
          databaseId: database.id,
          made: this.makeSecrets(name, environment),
        }),
        compatibilityDate: COMPATIBILITY_DATE,
        compatibilityFlags: ["nodejs_compat"],
        // The hash and nothing else: a new commit with the same content is no change.
        annotations: { workersTag: bundle.sha256.slice(0, 25) },
      },
      { parent: this },
    )

    const release = new Release(
      name,
      {
        accountId,
        scriptName: worker.name,
        versionId: version.id,
        url: apiOrigin,
        steps: [100],
        ...(connectTo ? { connectTo } : {}),
        ...smokeOf(environment),
      },
      { parent: this, customTimeouts: { update: `${patience}s` } },
    )

    this.script = release.scriptName
    this.versionId = version.id
    this.deploymentId = release.deploymentId
    this.registerOutputs({ script: this.script, versionId: this.versionId })
  }

  /** Made once and kept in state. */
  private makeSecrets(
    name: string,
    environment: Environment,
  ): Record<string, pulumi.Output<string>> {
    return Object.fromEntries(
      secretsToMake(environment).map((binding) => {
        const { value } = new Secret(
          `${name}-${madeSecrets[binding]}`,
          { bytes: 32 },
          { parent: this },
        )
        return [binding, value]
      }),
    )
  }
}

/** A release tries to sign in where it has the key to. */
export function smokeOf({
  secrets,
  webOrigin,
  trustedOrigins: [origin = webOrigin] = [],
}: Environment) {
  const key = secrets["SMOKE_KEY"]
  return key === undefined ? {} : { smoke: { key: pulumi.secret(key), origin } }
}
