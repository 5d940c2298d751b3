import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { unknownValue } from "@accounts-stack/pulumi-host/properties"
import type { EngineEvent, Stack } from "@pulumi/pulumi/automation/index.js"
import * as z from "zod"

import { messageOf } from "../../base/failure.ts"
import {
  type Deployment,
  describeDeployment,
  openDeployments,
} from "../../deploy/release/deployments.ts"
import { openApi } from "../api.ts"
import { nextCommand, type StackPlace } from "../local-options.ts"
import { type EngineSteps, readSteps, type Step, stepOfType } from "./step.ts"

const Provider = z.object({ baseUrl: z.string() })
const Place = z.object({
  accountId: z.string(),
  scriptName: z.string().refine((name) => name !== unknownValue),
})

/** Returns the live deployment; undefined if there is none. */
export async function readLive(
  { steps }: EngineSteps,
  { workspace }: Pick<Stack, "workspace">,
): Promise<Deployment | undefined> {
  const place = placeIn(steps)
  if (place === undefined) return undefined
  // The step of type `pulumi:providers:accounts`.
  const { baseUrl } = Provider.parse(stepOfType(steps, "accounts")?.after?.inputs)
  const { CLOUDFLARE_API_TOKEN: token = "" } = { ...process.env, ...workspace.envVars }
  return await openDeployments({ api: openApi({ baseUrl, token }), ...place }).live()
}

/** Returns the place of a stack. Only the engine of local stacks has a key service. */
export function placeOf({ name, workspace: { envVars } }: Stack): StackPlace {
  const { VAULT_SERVER_URL: keys, PULUMI_BACKEND_URL: backend } = envVars
  if (keys === undefined || backend === undefined) return { stack: name, local: false }
  return { stack: name, local: true, state: join(fileURLToPath(new URL(backend)), "../..") }
}

/** Describes the live deployment after a failed `up`. */
export async function describeLive(stack: Stack, events: EngineEvent[]): Promise<string> {
  const way = `${nextCommand("release status", placeOf(stack))} says what serves.`
  try {
    const engine = readSteps(events)
    if (placeIn(engine.steps) === undefined) return way
    const live = await readLive(engine, stack)
    return live === undefined ? "Nothing serves." : `Live is ${describeDeployment(live)}.`
  } catch (error) {
    return `What serves could not be looked up (${messageOf(error)}). ${way}`
  }
}

/** Finds the live Worker. A Worker with a new name becomes live only by its release. */
function placeIn(steps: Step[]): z.infer<typeof Place> | undefined {
  const version = inputsOf(stepOfType(steps, "Version"))
  const worker = inputsOf(stepOfType(steps, "Worker"))
  return Place.safeParse(version ?? (worker && { ...worker, scriptName: worker["name"] })).data
}

function inputsOf(step: Step | undefined) {
  return step?.before?.inputs ?? step?.after?.inputs
}
