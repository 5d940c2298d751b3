import { createHash } from "node:crypto"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import * as z from "zod"

import { parseJson } from "../../deploy/parse-json.ts"
import { readIfExists } from "../process/read-file.ts"
import type { Engine } from "./engine.ts"
import type { Project } from "./project.ts"

/** What the files of a backend and a Pulumi home on this machine say about a project's stack. */
export type Selection = "selected" | "new" | "unknown"

/**
 * Of any other backend, and wherever the files do not show it, nothing is known: then the engine is asked.
 * `start --once` with nothing changed takes 2.9 s with this, and 3.4 s without.
 */
export function selectionOf({ engine, project }: { engine: Engine; project: Project }): Selection {
  const { PULUMI_HOME: home = "" } = engine.environment
  const stored = storedFile(engine, project.stack)
  if (stored === undefined || home === "") return "unknown"
  if (readIfExists(stored) === undefined) return "new"
  // The engine's own name for it: sdk/go/common/workspace/workspace.go, settingsPath.
  const hash = createHash("sha1").update(join(project.directory, "Pulumi.yaml")).digest("hex")
  const settings = readIfExists(join(home, "workspaces", `accounts-${hash}-workspace.json`))
  return settings?.includes(`"organization/accounts/${project.stack}"`) ? "selected" : "unknown"
}

const Stored = z.object({
  version: z.literal([3, 4]),
  checkpoint: z.object({
    latest: z.object({
      resources: z.array(
        z.object({ type: z.string(), outputs: z.record(z.string(), z.unknown()).default({}) }),
      ),
    }),
  }),
})

/**
 * Whether Cloudflare's provider cannot read what is in state before the program runs: the local Cloudflare
 * listens at another address than it has there.
 */
export function isUnreadable(engine: Engine, stack: string): boolean {
  const { CLOUDFLARE_BASE_URL: current } = engine.environment
  const file = storedFile(engine, stack)
  const text = file === undefined ? undefined : readIfExists(file)
  if (current === undefined || text === undefined) return false
  const resources = Stored.safeParse(parseJson(text)).data?.checkpoint.latest.resources ?? []
  const provider = resources.find(({ type }) => type === "pulumi:providers:cloudflare")
  return provider !== undefined && provider.outputs["baseUrl"] !== current
}

function storedFile({ environment }: Engine, stack: string): string | undefined {
  const { PULUMI_BACKEND_URL: backend = "" } = environment
  if (!backend.startsWith("file://")) return undefined
  const directory = fileURLToPath(new URL(backend))
  return join(directory, ".pulumi/stacks/accounts", `${stack}.json`)
}
