import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import type { Stack } from "@pulumi/pulumi/automation/index.js"
import * as z from "zod"

import { CLOUDFLARE_API } from "../environment/rules.ts"
import { findCreated, type PendingCreate } from "./created.ts"
import { openLocalStack, type LocalOptions, type LocalStack } from "./local-stack.ts"
import { Failure, paint, print, say } from "./output.ts"
import { openRemoteStack } from "./remote-stack.ts"
import { refresh, type Engine } from "./stack.ts"

const Lock = z.object({
  pid: z.number(),
  username: z.string(),
  hostname: z.string(),
  timestamp: z.string(),
})

const PendingOperations = z.array(
  z.object({
    type: z.string(),
    resource: z.object({
      urn: z.string(),
      type: z.string(),
      inputs: z.record(z.string(), z.unknown()).default({}).transform(onlyText),
    }),
  }),
)

const execute = promisify(execFile)

export type Repair = {
  /** Locks of dead processes that were removed. */
  locks: number
  /** Resources that an interrupted run had created, now in state. URNs. */
  adopted: string[]
  /** Creations that never happened, or that are safe to repeat. URNs. */
  cleared: string[]
}

/** Mends a stack and tells what was done; `local` and previews of this machine need no token of the caller. */
export async function repair(
  name: string,
  options: LocalOptions & { json: boolean; local: boolean },
): Promise<void> {
  const done =
    name === "local" || options.local
      ? await repairLocal(name, options)
      : await repairRemote(name, options)
  if (options.json) return print(JSON.stringify(done))
  if (done.locks + done.adopted.length + done.cleared.length === 0) return say("Nothing to repair.")
  say(`Repaired. Bring it up again: ${name === "local" ? "npm start" : `pulumi up -s ${name}`}`)
}

async function repairLocal(name: string, options: LocalOptions): Promise<Repair> {
  const template = join(options.state, "projects", name, `Pulumi.${name}.yaml`)
  await using local = await openLocalStack(
    options,
    name === "local" ? {} : { stack: name, template },
  )
  return await mendLocal(local)
}

async function repairRemote(name: string, { engine: enginePath }: LocalOptions): Promise<Repair> {
  const { stack, engine } = await openRemoteStack({ stack: name, engine: enginePath })
  const token = process.env["CLOUDFLARE_API_TOKEN"] ?? ""
  return {
    locks: 0,
    ...(await mendState({ stack, engine, api: { baseUrl: CLOUDFLARE_API, token } })),
  }
}

/** Mends a local stack that a killed run left behind; says nothing where nothing is wrong. */
export async function mendLocal({ stack, engine, cloudflare }: LocalStack): Promise<Repair> {
  const backend = (engine.environment["PULUMI_BACKEND_URL"] ?? "").replace(/^file:\/\//, "")
  const locks = removeDeadLocks({ backend, stack: stack.name })
  const { api, token } = cloudflare
  return { locks, ...(await mendState({ stack, engine, api: { baseUrl: api, token } })) }
}

/**
 * Settles what an interrupted run left open: a resource that was created without state knowing is adopted,
 * any other open creation is forgotten and will be made by the next `up`.
 */
export async function mendState(site: {
  stack: Stack
  engine: Engine
  api: { baseUrl: string; token: string }
}): Promise<Omit<Repair, "locks">> {
  const { stack, engine, api } = site
  const { deployment } = await stack.exportStack()
  const open = PendingOperations.parse(deployment?.pending_operations ?? [])
  if (open.length === 0) return { adopted: [], cleared: [] }
  const creating = open
    .filter(({ type }) => type === "creating")
    .map(({ resource }): PendingCreate => resource)
  const found = await Promise.all(
    creating.map(async (pending) => ({ pending, id: await findCreated(pending, api) })),
  )
  const adopted = found.flatMap(({ pending, id }) => (id ? [{ urn: pending.urn, id }] : []))
  if (adopted.length > 0) await importPending({ stack, engine, adopted })
  await refresh(stack, { clearPendingCreates: true })
  for (const { urn } of adopted)
    say(
      `${paint.green("✓")} adopted ${urn.split("::").slice(2).join(" ")}, which an interrupted run had created`,
    )
  const urns = new Set(adopted.map(({ urn }) => urn))
  return {
    adopted: [...urns],
    cleared: creating.map(({ urn }) => urn).filter((urn) => !urns.has(urn)),
  }
}

async function importPending(site: {
  stack: Stack
  engine: Engine
  adopted: { urn: string; id: string }[]
}) {
  const { stack, engine, adopted } = site
  const pairs = adopted.flatMap(({ urn, id }) => [
    "--import-pending-creates",
    urn,
    "--import-pending-creates",
    id,
  ])
  await execute(
    engine.command,
    ["refresh", "--yes", "--skip-preview", "--non-interactive", "--stack", stack.name, ...pairs],
    {
      cwd: stack.workspace.workDir,
      env: { ...process.env, ...engine.environment },
    },
  )
}

/** A `file://` backend keeps the lock of a killed run for ever. Only a lock whose process is gone is removed. */
export function removeDeadLocks({ backend, stack }: { backend: string; stack: string }): number {
  const directory = join(backend, ".pulumi", "locks", "organization", "accounts", stack)
  if (!existsSync(directory)) return 0
  let removed = 0
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    const { data: lock } = Lock.safeParse(JSON.parse(readFileSync(path, "utf8")))
    if (lock && (lock.hostname !== hostname() || alive(lock.pid)))
      throw new Failure(
        `The stack ${stack} is locked by process ${lock.pid} of ${lock.username} on ${lock.hostname} since ${lock.timestamp}. ` +
          "Wait for it, or end it, then run this again.",
      )
    rmSync(path)
    removed += 1
    say(
      `${paint.green("✓")} removed the lock of a run that was killed${lock ? ` (process ${lock.pid})` : ""}`,
    )
  }
  return removed
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

function onlyText(inputs: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  )
}
