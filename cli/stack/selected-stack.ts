import { createHash } from "node:crypto"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { readIfExists } from "../process/read-file.ts"
import type { Engine } from "./engine.ts"
import type { Project } from "./project.ts"

/**
 * Whether a project has a stack selected that a backend of this machine has. False if their files do
 * not show it, as for any other backend: then the engine is asked.
 */
export function isSelected({ engine, project }: { engine: Engine; project: Project }): boolean {
  const { PULUMI_BACKEND_URL: backend = "", PULUMI_HOME: home = "" } = engine.environment
  if (!backend.startsWith("file://") || home === "") return false
  const stored = join(".pulumi/stacks/accounts", `${project.stack}.json`)
  if (readIfExists(join(fileURLToPath(new URL(backend)), stored)) === undefined) return false
  // The engine's own name for it: sdk/go/common/workspace/workspace.go, settingsPath.
  const hash = createHash("sha1").update(join(project.directory, "Pulumi.yaml")).digest("hex")
  const settings = readIfExists(join(home, "workspaces", `accounts-${hash}-workspace.json`))
  return settings?.includes(`"organization/accounts/${project.stack}"`) ?? false
}
