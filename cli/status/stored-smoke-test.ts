import * as z from "zod"

import { root } from "../../base/root.ts"
import { SmokeTest } from "../../provider/release/shared-inputs.ts"
import { callEngine } from "../stack/call-engine.ts"
import type { Engine } from "../stack/engine.ts"

/** A secret of the state, opened; only a text is one here. */
const Opened = z
  .object({ plaintext: z.string() })
  .transform(({ plaintext }) => JSON.parse(plaintext) as unknown)

const Export = z.object({
  deployment: z.object({
    resources: z.array(z.object({ type: z.string(), inputs: z.unknown().optional() })).default([]),
  }),
})

const Inputs = z.object({
  smoke: z.union([
    Opened.pipe(SmokeTest),
    SmokeTest.extend({ key: z.union([Opened.pipe(SmokeTest.shape.key), SmokeTest.shape.key]) }),
  ]),
})

/** With what the last `up` tried to sign in, opened with the key of the stack. */
export async function storedSmokeTest(
  engine: Engine,
  stack: string,
): Promise<SmokeTest | undefined> {
  const args = ["stack", "export", "--stack", stack, "--show-secrets"]
  const { deployment } = Export.parse(
    JSON.parse(await callEngine(engine, { directory: root, args })),
  )
  const verification = deployment.resources.find(({ type }) => type.endsWith(":Verification"))
  return Inputs.safeParse(verification?.inputs).data?.smoke
}
