import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import * as z from "zod"

import { callEngine } from "./call-engine.ts"
import type { Engine } from "./engine.ts"
import { projectFile, type Project } from "./project.ts"

export const StoredResource = z.looseObject({
  urn: z.string(),
  type: z.string(),
  parent: z.string().default(""),
  /** URN and id of the provider, joined by `::`. */
  provider: z.string().default(""),
  protect: z.boolean().default(false),
  inputs: z.record(z.string(), z.unknown()).default({}),
  outputs: z.record(z.string(), z.unknown()).default({}),
})
export type StoredResource = z.infer<typeof StoredResource>

/** The parts of a stack's state that repair reads; it writes the rest back unchanged. */
const StoredState = z.looseObject({
  deployment: z.looseObject({
    /** When a run saved it last. */
    manifest: z.looseObject({ time: z.string() }).optional(),
    resources: z
      .array(
        z.looseObject({
          urn: z.string(),
          type: z.string().optional(),
          dependencies: z.array(z.string()).nullish(),
        }),
      )
      .default([]),
    pending_operations: z
      .array(z.looseObject({ type: z.string(), resource: StoredResource }))
      .default([]),
  }),
})
export type StoredState = z.infer<typeof StoredState>

export type Site = { engine: Engine; project: Project }

/** The state as the backend keeps it. The Automation API's own export decrypts it, which this does not. */
export async function exportState(site: Site): Promise<StoredState> {
  return StoredState.parse(JSON.parse(await ask(site, ["stack", "export"])))
}

/** Through standard input: a file would outlive a failure. */
export async function importState(site: Site, state: StoredState): Promise<void> {
  await ask(site, ["stack", "import"], JSON.stringify(state))
}

/** A resource of the account, and what a pending creation says about it. */
type Existing = { resource: StoredResource; importId: string }

/**
 * Lets the engine read resources into state, as `pulumi import` does, each with its own parent,
 * provider and protection.
 * @param state directory of all local state, for the list of names and ids while the engine reads it
 */
export async function importResources(
  { engine, project }: Site,
  { state, existing }: { state: string; existing: Existing[] },
): Promise<void> {
  if (existing.length === 0) return
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const directory = mkdtempSync(join(state, "repair-"))
  try {
    // With a runtime the engine would ask a language host, which not every engine comes with.
    writeFileSync(join(directory, "Pulumi.yaml"), projectFile({ runtime: false }))
    const flags = ["--generate-code=false", "--yes", "--skip-preview", "--suppress-outputs"]
    for (const protect of [true, false]) {
      const alike = existing.filter(({ resource }) => resource.protect === protect)
      if (alike.length === 0) continue
      writeFileSync(join(directory, "import.json"), JSON.stringify(importFile(alike)))
      const files = ["--config-file", project.stackFile, "--file", "import.json"]
      const args = ["import", ...files, ...flags, `--protect=${protect}`, "--suppress-progress"]
      await callEngine(engine, { directory, args: [...args, "--stack", project.stack] })
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function importFile(existing: Existing[]) {
  const parents = existing.map(({ resource }) => resource.parent)
  const providers = existing.map(({ resource }) => withoutId(resource.provider))
  const named = [...new Set([...parents, ...providers])].filter(Boolean)
  const nameOf = (urn: string) => `known${named.indexOf(urn)}`
  return {
    nameTable: Object.fromEntries(named.map((urn) => [nameOf(urn), urn])),
    resources: existing.map(({ resource: { urn, type, parent, provider }, importId }, index) => ({
      type,
      // Unlike logical names, these must differ from each other.
      name: `resource${index}`,
      logicalName: urn.split("::").slice(3).join("::"),
      id: importId,
      ...(parent && { parent: nameOf(parent) }),
      ...(provider && { provider: nameOf(withoutId(provider)) }),
    })),
  }
}

function withoutId(provider: string): string {
  return provider.slice(0, provider.lastIndexOf("::"))
}

async function ask({ engine, project }: Site, args: string[], input?: string): Promise<string> {
  return await callEngine(engine, {
    directory: project.directory,
    args: [...args, "--stack", project.stack],
    ...(input !== undefined && { input }),
  })
}
