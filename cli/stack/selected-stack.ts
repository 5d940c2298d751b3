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
  const { PULUMI_BACKEND_URL: backend = "", PULUMI_HOME: home = "" } = engine.environment
  if (!backend.startsWith("file://") || home === "") return "unknown"
  const stored = join(".pulumi/stacks/accounts", `${project.stack}.json`)
  if (readIfExists(join(fileURLToPath(new URL(backend)), stored)) === undefined) return "new"
  // The engine's own name for it: sdk/go/common/workspace/workspace.go, settingsPath.
  const hash = createHash("sha1").update(join(project.directory, "Pulumi.yaml")).digest("hex")
  const settings = readIfExists(join(home, "workspaces", `accounts-${hash}-workspace.json`))
  return settings?.includes(`"organization/accounts/${project.stack}"`) ? "selected" : "unknown"
}
