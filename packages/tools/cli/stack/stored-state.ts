import * as z from "zod"

import { isLoopback } from "../../base/loopback.ts"
import { callEngine } from "./call-engine.ts"
import type { Engine } from "./engine.ts"
import type { Project } from "./project.ts"

const StoredResource = z.looseObject({
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
    /** When a run saved it last. */
    manifest: z.looseObject({ time: z.string() }).optional(),
    resources: z.array(StoredResource).default([]),
    pending_operations: z
      .array(z.looseObject({ type: z.string(), resource: StoredResource }))
      .default([]),
  }),
})
export type StoredState = z.infer<typeof StoredState>

export type Site = { engine: Engine; project: Project }

/** As the engine shows a secret that it has opened. */
const Opened = z.object({ plaintext: z.string() })

/** The state as the backend keeps it. The Automation API's own export decrypts it, which this does not. */
export async function exportState(site: Site): Promise<StoredState> {
  return StoredState.parse(JSON.parse(await ask(site, ["stack", "export"])))
}

/** With its secrets in clear: for a look, and never to be imported. */
export async function openState(site: Asked): Promise<StoredState> {
  const text = await ask(site, ["stack", "export", "--show-secrets"])
  const open = (_key: string, value: unknown): unknown => {
    const { data } = Opened.safeParse(value)
    return data === undefined ? value : JSON.parse(data.plaintext)
  }
  return StoredState.parse(JSON.parse(text, open))
}

/** Through standard input: a file would outlive a failure. */
export async function importState(site: Site, state: StoredState): Promise<void> {
  await ask(site, ["stack", "import"], JSON.stringify(state))
}

/** A deletion asks the API that the state has: of this machine's Cloudflare perhaps at a former port. */
export async function moveProviders(site: Site): Promise<void> {
  const { baseUrl } = site.project
  if (!isLoopback(baseUrl)) return
  const state = await exportState(site)
  const former = state.deployment.resources
    .filter(({ type }) => type.startsWith("pulumi:providers:"))
    .flatMap(({ inputs, outputs }) => [inputs ?? {}, outputs ?? {}])
    .filter((values) => "baseUrl" in values && values["baseUrl"] !== baseUrl)
  for (const values of former) values["baseUrl"] = baseUrl
  if (former.length > 0) await importState(site, state)
}

type Asked = { engine: Engine; project: Pick<Project, "directory" | "stack"> }

async function ask({ engine, project }: Asked, args: string[], input?: string): Promise<string> {
  return await callEngine(engine, {
    directory: project.directory,
    args: [...args, "--stack", project.stack],
    ...(input !== undefined && { input }),
  })
}
