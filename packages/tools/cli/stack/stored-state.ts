import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

import * as z from "zod"

import { isLoopback } from "../../base/loopback.ts"
import { soleName } from "../../deploy/components/accounts-provider.ts"
import { callEngine, type Engine } from "./engine.ts"
import { type Project, projectFile } from "./project.ts"

export const StoredResource = z.looseObject({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
  dependencies: z.array(z.string()).nullish(),
})
export type StoredResource = z.infer<typeof StoredResource>

/** The parts of a stack's state that `repair` and `adopt` read; they write the rest back unchanged. */
const StoredState = z.looseObject({
  deployment: z.looseObject({
    /** `time` is when a run last saved the state. */
    manifest: z.looseObject({ time: z.string() }).optional(),
    resources: z.array(StoredResource).default([]),
    pending_operations: z
      .array(z.looseObject({ type: z.string(), resource: StoredResource }))
      .default([]),
  }),
})
export type StoredState = z.infer<typeof StoredState>

export type Site = { engine: Engine; project: Project }

/** A secret that the engine has decrypted. */
const Opened = z.object({ plaintext: z.string() })

/** Exports the state with encrypted secrets. The Automation API's own export would decrypt them. */
export async function exportState(site: Site): Promise<StoredState> {
  return StoredState.parse(JSON.parse(await ask(site, ["stack", "export"])))
}

/** Exports the state with secrets in plain text. It must never be imported. */
export async function openState(site: Asked): Promise<StoredState> {
  const text = await ask(site, ["stack", "export", "--show-secrets"])
  const open = (_key: string, value: unknown): unknown => {
    const { data } = Opened.safeParse(value)
    return data === undefined ? value : JSON.parse(data.plaintext)
  }
  return StoredState.parse(JSON.parse(text, open))
}

/** Passes the state through standard input: a file would remain after a failure. */
export async function importState(site: Site, state: StoredState): Promise<void> {
  await ask(site, ["stack", "import"], JSON.stringify(state))
}

/** Updates the API's address in state before a deletion, because the local Cloudflare's port may have changed. */
export async function moveProviders(site: Site): Promise<void> {
  const { baseUrl } = site.project
  if (!isLoopback(baseUrl)) return
  const state = await exportState(site)
  const outdatedValues = valuesAtFormer(state.deployment.resources, baseUrl)
  for (const values of outdatedValues) values["baseUrl"] = baseUrl
  if (outdatedValues.length > 0) await importState(site, state)
}

/** Returns inputs and outputs of providers whose API is not `baseUrl`. */
export function valuesAtFormer(
  resources: StoredResource[],
  baseUrl: string,
): Record<string, unknown>[] {
  return resources
    .filter(({ type }) => type.startsWith("pulumi:providers:"))
    .flatMap(({ inputs, outputs }) => [inputs ?? {}, outputs ?? {}])
    .filter((values) => "baseUrl" in values && values["baseUrl"] !== baseUrl)
}

type Asked = { engine: Engine; project: Pick<Project, "directory" | "stack"> }

async function ask({ engine, project }: Asked, args: string[], input?: string): Promise<string> {
  return await callEngine(engine, {
    directory: project.directory,
    args: [...args, "--stack", project.stack],
    ...(input !== undefined && { input }),
  })
}

/** A resource of the account, with its declaration in the program. */
export type Declared = {
  type: string
  /** Its parent component. */
  component: string
  /** The end of its logical name, after the component's name. */
  suffix: string
  /** The id for an import by the engine. */
  importId: string
  protect: boolean
}

type StateResources = StoredState["deployment"]["resources"]

/**
 * Lets the engine read resources into state, as `pulumi import` does. All of them are protected
 * afterwards, until the caller or another `up` changes it.
 * @param state directory of all local state, for the list of names and ids while the engine reads it
 */
export async function importResources(
  { engine, project }: Site,
  { state, declared, before }: { state: string; declared: Declared[]; before: StateResources },
): Promise<void> {
  if (declared.length === 0) return
  mkdirSync(state, { recursive: true, mode: 0o700 })
  using folder = mkdtempDisposableSync(join(state, "import-"))
  const directory = folder.path
  // A runtime would require a language host, which not every engine includes.
  writeFileSync(join(directory, "Pulumi.yaml"), projectFile({ runtime: false }))
  writeFileSync(join(directory, "import.json"), JSON.stringify(importFile(declared, before)))
  const files = ["--config-file", project.stackFile, "--file", "import.json"]
  const quiet = ["--skip-preview", "--suppress-outputs", "--suppress-progress"]
  const args = ["import", ...files, ...quiet, "--generate-code=false", "--yes"]
  await callEngine(engine, { directory, args: [...args, "--stack", project.stack] })
}

function importFile(declared: Declared[], existingResources: StateResources) {
  const nameTable: Record<string, string> = {}
  const provider = existingResources.findLast(({ type }) => type === "pulumi:providers:cloudflare")
  if (provider) nameTable["provider"] = provider.urn
  const resources: Record<string, unknown>[] = []
  for (const component of new Set(declared.map((declaration) => declaration.component))) {
    const existing = existingResources.find(({ type }) => type === component)
    const componentEntry = {
      type: component,
      name: component,
      logicalName: soleName,
      component: true,
    }
    if (existing) nameTable[component] = existing.urn
    else resources.push(componentEntry)
  }
  for (const [index, { type, component, suffix, importId: id }] of declared.entries()) {
    resources.push({
      type,
      // Unlike logical names, these must differ from each other.
      name: `resource${index}`,
      logicalName: `${soleName}${suffix}`,
      id,
      parent: component,
      ...(provider ? { provider: "provider" } : { version: cloudflareVersion() }),
    })
  }
  return { nameTable, resources }
}

/** Reads the provider version that the program's SDK uses, so that state has only one provider. */
function cloudflareVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)("@pulumi/cloudflare/package.json")
  return z.object({ version: z.string() }).parse(manifest).version
}
