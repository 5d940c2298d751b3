import { readFileSync } from "node:fs"
import { join } from "node:path"

import { parse } from "yaml"
import * as z from "zod"

import { type Answers, createRecordingEngine } from "./recording-engine.ts"

export const answers: Answers = {
  outputs: {
    "cloudflare:index/d1Database:D1Database": { uuid: "4e1d5a70-0000-4000-8000-000000000001" },
    "accounts:index:HostCheck": { zoneId: "7a6f6e656c6f63616c686f7374000001" },
    "accounts:index:Migrations": { head: "0000_first.sql" },
    "accounts:index:Release": { deploymentId: "4e1d5a70-0000-4000-8000-000000000002" },
    "accounts:index:Secret": { value: "a generated secret" },
    "accounts:index:Version": { versionId: "4e1d5a70-0000-4000-8000-000000000003" },
  },
}

const StackFile = z.object({ config: z.record(z.string(), z.unknown()) })

/** A stack file's values as the engine passes them to a program: strings, structures as JSON. */
export function configOf(
  stack: string,
  { root, overrides = {} }: { root: string; overrides?: Record<string, unknown> },
) {
  const file = readFileSync(join(root, "environments", `Pulumi.${stack}.yaml`), "utf8")
  const config = { ...StackFile.parse(parse(file)).config, ...overrides }
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  )
}

type Case = { stack: string; config: Record<string, string>; secretKeys: string[]; dryRun: boolean }

/** Records what a program registers, with an engine that creates nothing. */
export async function record(
  options: Case,
  start: (run: Case & { engine: string }) => Promise<void>,
) {
  using engine = await createRecordingEngine({ ...options, answers })
  await start({ ...options, engine: engine.address })
  return engine.recording()
}
