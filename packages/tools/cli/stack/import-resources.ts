import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

import * as z from "zod"

import { logicalName } from "../../deploy/components/names.ts"
import { callEngine } from "./call-engine.ts"
import { projectFile } from "./project.ts"
import type { Site, StoredState } from "./stored-state.ts"

/** A resource of the account, and how the program declares it. */
export type Declared = {
  type: string
  /** The component that it is in. */
  component: string
  /** What its logical name has after that of the component. */
  suffix: string
  /** What the engine imports it by. */
  importId: string
  protect: boolean
}

type Known = StoredState["deployment"]["resources"]

/**
 * Lets the engine read resources into state, as `pulumi import` does. All of them are protected then:
 * another `up`, or the caller, says which stay so.
 * @param state directory of all local state, for the list of names and ids while the engine reads it
 */
export async function importResources(
  { engine, project }: Site,
  { state, declared, known }: { state: string; declared: Declared[]; known: Known },
): Promise<void> {
  if (declared.length === 0) return
  mkdirSync(state, { recursive: true, mode: 0o700 })
  using folder = mkdtempDisposableSync(join(state, "import-"))
  const directory = folder.path
  // With a runtime the engine would ask a language host, which not every engine comes with.
  writeFileSync(join(directory, "Pulumi.yaml"), projectFile({ runtime: false }))
  writeFileSync(join(directory, "import.json"), JSON.stringify(importFile(declared, known)))
  const files = ["--config-file", project.stackFile, "--file", "import.json"]
  const quiet = ["--skip-preview", "--suppress-outputs", "--suppress-progress"]
  const args = ["import", ...files, ...quiet, "--generate-code=false", "--yes"]
  await callEngine(engine, { directory, args: [...args, "--stack", project.stack] })
}

function importFile(declared: Declared[], known: Known) {
  const nameTable: Record<string, string> = {}
  const provider = known.findLast(({ type }) => type === "pulumi:providers:cloudflare")
  if (provider) nameTable["provider"] = provider.urn
  const resources: Record<string, unknown>[] = []
  for (const component of new Set(declared.map((one) => one.component))) {
    const existing = known.find(({ type }) => type === component)
    if (existing) nameTable[component] = existing.urn
    else resources.push({ type: component, name: component, logicalName, component: true })
  }
  for (const [index, { type, component, suffix, importId: id }] of declared.entries()) {
    resources.push({
      type,
      // Unlike logical names, these must differ from each other.
      name: `resource${index}`,
      logicalName: `${logicalName}${suffix}`,
      id,
      parent: component,
      ...(provider ? { provider: "provider" } : { version: cloudflareVersion() }),
    })
  }
  return { nameTable, resources }
}

/** As the program's SDK asks for it, so that both have one provider in state. */
function cloudflareVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)("@pulumi/cloudflare/package.json")
  return z.object({ version: z.string() }).parse(manifest).version
}
