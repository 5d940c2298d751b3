import type { WorkerArgs } from "@pulumi/cloudflare"
import { Worker } from "@pulumi/cloudflare/worker.js"
import * as pulumi from "@pulumi/pulumi"

import { persistentValues } from "../../environment/bindings.ts"
import { type Environment, protection } from "../../environment/environment.ts"
import { project } from "../../environment/project/own-project.ts"
import { isOnWorkersDev } from "../../environment/rules/url.ts"
import { secretsToGenerate } from "../../environment/secrets.ts"
import { permanent } from "../../environment/stack-keys.ts"
import { Release, type ReleaseArgs, Secret, Version } from "./accounts-provider.ts"
import { type ExternalBindings, bindingsOf, requireExternalBindings } from "./bindings.ts"
import type { Database } from "./database.ts"

type ServiceArgs = {
  environment: Environment
  database: Database
  /** SHA-256 of the bundle. */
  bundle: string
  /** The bundle's use of the database's schema. */
  schemaUse: string
  /** Name of the script. */
  name: string
  /** Name of the script as an output, known once its host may be attached. */
  scriptName: pulumi.Input<string>
  /** Tags of the Worker besides the environment tag. */
  tags: string[] | undefined
  /** The bindings of app/bindings.ts whose kinds are not interpreted here, such as R2 buckets. */
  bindings?: ExternalBindings
}

type Trial = Pick<ReleaseArgs, "smoke" | "connectTo" | "trialHeaders">

/** The Worker, its version, and the release that gives it traffic. */
export class Service extends pulumi.ComponentResource {
  /** Script name, known once the release is live, so that routes and domains wait for it. */
  readonly script: pulumi.Output<string>
  /** Cloudflare's id. */
  readonly workerId: pulumi.Output<string>
  readonly versionId: pulumi.Output<string>
  readonly deploymentId: pulumi.Output<string>
  /** The secrets that the stack generates, by binding. */
  readonly generated: Record<string, pulumi.Output<string>>
  /** Settings for a trial of the service. */
  readonly trial: Trial

  constructor(logicalName: string, args: ServiceArgs, opts?: pulumi.ComponentResourceOptions) {
    super("accounts:infra:Service", logicalName, {}, opts)
    const { environment, name, scriptName, database, bundle, schemaUse, tags = [] } = args
    const externalBindings = args.bindings ?? {}
    requireExternalBindings({ declared: project.bindings, environment, external: externalBindings })
    const { accountId, apiOrigin, zone, zoneId, patience } = environment
    this.generated = this.generatedFor(logicalName, environment)
    const secrets = { ...this.generated, ...broughtBy(environment) }
    this.trial = trialOf(environment, secrets)

    const worker = new Worker(
      logicalName,
      {
        accountId,
        name: scriptName,
        // Omits the stack's name, so that a renamed stack changes nothing.
        tags: [`environment=${environment.environment}`, ...tags],
        subdomain: {
          enabled: isOnWorkersDev(new URL(apiOrigin).hostname),
          previewsEnabled: false,
        },
        ...telemetryOf(environment),
      },
      {
        parent: this,
        protect: protection(environment).worker,
        // Only `branch up` knows the tags of a preview.
        ...(environment.environment === "preview" && !args.tags ? { ignoreChanges: ["tags"] } : {}),
        // Cloudflare changes these with every release.
        hideDiffs: ["references", "deployedOn", "updatedOn"],
      },
    )

    const version = new Version(
      logicalName,
      {
        accountId,
        scriptName: worker.name,
        bundle,
        ...project.runtime,
        bindings: bindingsOf({
          environment,
          scriptName: name,
          databaseId: database.id,
          schemaUse,
          secrets,
          external: externalBindings,
        }),
        ...(permanent(environment) && { lasting: persistentValues(environment) }),
        ...(environment.placement && { placement: environment.placement }),
        ...(environment.cpuMs !== undefined && { cpuMs: environment.cpuMs }),
      },
      { parent: this },
    )

    const release = new Release(
      logicalName,
      {
        accountId,
        scriptName: worker.name,
        versionId: version.versionId,
        url: apiOrigin,
        ...(zone && { zone }),
        ...(zoneId ? { zoneId } : {}),
        steps: environment.releaseSteps,
        ...(environment.releaseSteps.length > 1 && { bake: environment.releaseBake }),
        ...(environment.releaseLimits && { limits: environment.releaseLimits }),
        ...this.trial,
      },
      { parent: this, customTimeouts: { create: `${patience}s`, update: `${patience}s` } },
    )

    this.script = release.scriptName
    this.workerId = worker.id
    this.versionId = version.versionId
    this.deploymentId = release.deploymentId
    this.registerOutputs({ script: this.script, versionId: this.versionId })
  }

  /** Returns the secrets that are generated once and kept in state, by binding. */
  private generatedFor(
    logicalName: string,
    environment: Environment,
  ): Record<string, pulumi.Output<string>> {
    const secrets = secretsToGenerate(environment).map((binding) => {
      const resource = `${logicalName}-${project.generated[binding]?.suffix}`
      const rotation = environment.rotations[binding]
      const args = { bytes: 32, ...(rotation === undefined ? {} : { rotation }) }
      return [binding, new Secret(resource, args, { parent: this }).value] as const
    })
    return Object.fromEntries(secrets)
  }
}

function broughtBy({ secrets }: Environment): Record<string, pulumi.Output<string>> {
  const wrapped = Object.entries(secrets).map(
    ([binding, text]) => [binding, pulumi.secret(text)] as const,
  )
  return Object.fromEntries(wrapped)
}

/** The trial calls the service as the pages of the front end do. */
function trialOf(
  { webOrigin, connectTo, trialHeaders }: Environment,
  { SMOKE_KEY: key }: Record<string, pulumi.Output<string>>,
): Trial {
  if (key === undefined) throw new Error("infra/project.ts: SMOKE_KEY is not generated")
  const headers = Object.entries(trialHeaders).map(
    ([name, value]) => [name, pulumi.secret(value)] as const,
  )
  return {
    smoke: { key, origin: webOrigin },
    ...(connectTo ? { connectTo } : {}),
    ...(headers.length > 0 ? { trialHeaders: Object.fromEntries(headers) } : {}),
  }
}

type Telemetry = Pick<WorkerArgs, "logpush" | "observability" | "tailConsumers">

/**
 * Returns complete settings for logs, traces and events: the API also returns omitted fields, which Pulumi
 * would take for drift. Only leaves out `issues` and `propagationPolicy`, which the provider computes:
 * Cloudflare may refuse settings for which an account lacks the feature.
 */
function telemetryOf(environment: Environment): Telemetry {
  const { logSampling, logDestinations, traceSampling, traceDestinations } = environment
  const { logpush, tailConsumers } = environment
  return {
    logpush,
    ...(tailConsumers.length > 0 && { tailConsumers: tailConsumers.map((name) => ({ name })) }),
    observability: {
      enabled: true,
      headSamplingRate: logSampling,
      logs: {
        enabled: true,
        headSamplingRate: logSampling,
        // Cloudflare's log line for a request has the whole URL, including the token of a link in a mail.
        invocationLogs: logDestinations.length === 0,
        persist: true,
        destinations: logDestinations,
      },
      traces: {
        enabled: traceSampling > 0,
        headSamplingRate: traceSampling || 1,
        persist: true,
        destinations: traceDestinations,
      },
    },
  }
}
