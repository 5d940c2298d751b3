import { resolve } from "node:path"

import type { Stack } from "@pulumi/pulumi/automation/index.js"

import { parseStackFile, readStackFile } from "../../infra/environment/stack-file.ts"
import { root } from "../../root.ts"
import { callersOwn, localEnvironment } from "../engine/engine-environment.ts"
import { findEngine, type Engine as FoundEngine } from "../engine/engine.ts"
import { preparePulumiHome } from "../engine/plugins.ts"
import { engineProgress } from "../engine/terminal.ts"
import { bringUp, defaultState, type LocalCloudflare } from "../process/local-cloudflare.ts"
import { endsOf } from "../process/sandbox.ts"
import { checkoutProject, generateProject, type Overrides, type Project } from "./project.ts"
import { openStack, type Engine } from "./stack.ts"

export type LocalOptions = {
  /** State directory, absolute. */
  state: string
  apiPort: number
  port: number
  /** Path of an engine to use instead of the one that would be found. */
  engine: string | undefined
}

/** Everything an operation on a stack of this machine needs; `close` ends what was started for it. */
export type LocalStack = AsyncDisposable & {
  /** State directory, absolute. */
  state: string
  cloudflare: LocalCloudflare
  engine: Engine
  project: Project
  stack: Stack
  provider: "official" | "stand-in"
}

const committed = resolve(root, "environments", "Pulumi.local.yaml")

/**
 * Finds the engine, joins or starts the local Cloudflare, and opens the stack.
 * Bad input is found before anything starts.
 */
export async function openLocalStack(
  options: LocalOptions,
  {
    stack: name = "local",
    template = committed,
    overrides = {},
    running,
  }: {
    stack?: string
    template?: string
    overrides?: Overrides
    /** The local Cloudflare to use, instead of joining or starting one. */
    running?: LocalCloudflare
  } = {},
): Promise<LocalStack> {
  forgetCallersOwn()
  if (name === "local") {
    readStackFile({ path: template, name, label: "environments/Pulumi.local.yaml" })
  }
  const found = await findEngine({ enginePath: options.engine, onProgress: engineProgress() })
  const cloudflare = running ?? (await bringUp(options))
  try {
    const { engine, provider } = await localEngine({ state: options.state, found, cloudflare })
    // Only `local` itself has ends, and only `npm start` runs them.
    const ends = name === "local" ? await endsOf(options.state) : {}
    const here = { ...ends, ...overrides }
    const project = localProject({ options, cloudflare, name, template, overrides: here })
    const stack = await openStack({ project, engine })
    return {
      state: options.state,
      cloudflare,
      engine,
      project,
      stack,
      provider,
      [Symbol.asyncDispose]: () => cloudflare.stop(),
    }
  } catch (error) {
    await cloudflare.stop()
    throw error
  }
}

/** The engine as `local` uses it: state, plugins and credentials of the state directory alone. */
export async function localEngine(options: {
  state: string
  found: FoundEngine
  cloudflare: Pick<LocalCloudflare, "api" | "token" | "accountId">
}): Promise<{ engine: Engine; provider: "official" | "stand-in" }> {
  const { state, found, cloudflare } = options
  const { command, root: engineRoot } = found
  const { home, provider } = await preparePulumiHome({
    root: resolve(state, "pulumi"),
    choice: process.env["ACCOUNTS_PROVIDER"],
    baseUrl: cloudflare.api,
    engine: command,
  })
  const { token, accountId } = cloudflare
  return {
    engine: {
      command,
      root: engineRoot,
      environment: localEnvironment({ state, home, engine: command, token, accountId }),
    },
    provider,
  }
}

function localProject(site: {
  options: LocalOptions
  cloudflare: LocalCloudflare
  name: string
  template: string
  overrides: Overrides
}): Project {
  const { options, cloudflare, name, template, overrides } = site
  const { config } = parseStackFile(template, template)
  const written = { ...config, ...overrides }
  const here = { ...overrides, ...onThisEdge(String(written["accounts:apiOrigin"]), cloudflare) }
  const asCommitted =
    name === "local" &&
    options.state === defaultState &&
    Object.entries(here).every(([key, value]) => config[key] === value)
  return asCommitted
    ? checkoutProject(name)
    : generateProject({ state: options.state, stack: name, template, overrides: here })
}

/** Where a stack finds this Cloudflare, whatever ports it runs on. */
function onThisEdge(apiOrigin: string, { api, edge }: LocalCloudflare): Overrides {
  const found: Overrides = { "cloudflare:baseUrl": api }
  const origin = URL.parse(apiOrigin)
  if (!origin) return found
  if (origin.protocol === "http:") origin.port = new URL(edge).port
  // Only `localhost` itself resolves on every machine.
  const connect: Overrides = origin.hostname === "localhost" ? {} : { "accounts:connectTo": edge }
  return { ...found, ...connect, "accounts:apiOrigin": origin.origin }
}

/** The program runs in this process: the caller's Cloudflare and Pulumi settings must not reach it. */
function forgetCallersOwn(): void {
  for (const name of callersOwn(process.env, {})) delete process.env[name]
}
