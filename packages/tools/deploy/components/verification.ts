import type * as pulumi from "@pulumi/pulumi"

import type { Environment } from "../../environment/environment.ts"
import { Verification as Resource } from "./accounts-provider.ts"
import type { Hostname } from "./hostname.ts"
import type { Service } from "./service.ts"

type VerificationArgs = {
  environment: Environment
  service: Service
  hostname: Hostname
  /** What reviewers have seen of the environment. */
  facts: ConstructorParameters<typeof Resource>[1]["facts"]
}

/** Waits until the service is healthy at its host and lets a smoke-test account in: for each new host and Worker. */
export class Verification extends Resource {
  constructor(
    logicalName: string,
    { environment, service, hostname, facts }: VerificationArgs,
    options: pulumi.CustomResourceOptions,
  ) {
    const { accountId, zone, hostPatience } = environment
    const patience = `${hostPatience}s`
    super(
      logicalName,
      {
        ...service.trial,
        accountId,
        scriptName: service.script,
        worker: service.workerId,
        url: hostname.url,
        ...(zone === undefined ? {} : { zone }),
        facts,
      },
      { customTimeouts: { create: patience, update: patience }, ...options },
    )
  }
}
