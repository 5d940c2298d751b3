import * as z from "zod"

import { unknownValue } from "../../provider/protocol/resource.ts"
import { openDeployments, type Deployment } from "../../provider/release/deployments.ts"
import { openApi } from "../api.ts"
import { type EngineSteps, type Step, stepOfType } from "./step.ts"

const Place = z.object({
  accountId: z.string(),
  scriptName: z.string().refine((name) => name !== unknownValue),
})

/** What serves now; undefined when nothing does. */
export async function readLive(
  { steps }: EngineSteps,
  access: { baseUrl: string; token: string },
): Promise<Deployment | undefined> {
  const { data: place } = Place.safeParse(inputsOf(stepOfType(steps, "Version")))
  if (place === undefined) return undefined
  return await openDeployments({ api: openApi(access), ...place }).live()
}

/** As it is, not as it is to be: a Worker under another name serves until the release. */
function inputsOf(step: Step | undefined) {
  return step?.before?.inputs ?? step?.after?.inputs
}
