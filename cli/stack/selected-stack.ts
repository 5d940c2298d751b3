import { createHash } from "node:crypto"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { readIfExists } from "../process/read-file.ts"
import type { Engine } from "./engine.ts"
import type { Project } from "./project.ts"

/** What the files of a backend and a Pulumi home on this machine say about a project's stack. */
export type Selection = "selected" | "new" | "unknown"

/** Of any other backend, and wherever the files do not show it, nothing is known: then the engine is asked. */
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

/** Whether the files of a backend on this machine show that it has the stack; if not, the engine is asked. */
export function isStored(engine: Engine, stack: string): boolean {
  const stored = storedFile(engine, stack)
  return stored !== undefined && readIfExists(stored) !== undefined
}

function storedFile({ environment }: Engine, stack: string): string | undefined {
  const { PULUMI_BACKEND_URL: backend = "" } = environment
  if (!backend.startsWith("file://")) return undefined
  const directory = fileURLToPath(new URL(backend))
  return join(directory, ".pulumi/stacks/accounts", `${stack}.json`)
}
