import { resolve } from "node:path"

import type { Stack } from "@pulumi/pulumi/automation/index.js"
import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { isLocalName } from "../../base/loopback.ts"
import { root } from "../../base/root.ts"
import type { Api } from "../../deploy/api.ts"
import { parseStackFile, readStackFile } from "../../environment/read.ts"
import { openApi } from "../api.ts"
import { backendDirectory } from "../engine/engine-environment.ts"
import { findEngine } from "../engine/engine.ts"
import { defaultState, type LocalOptions } from "../local-options.ts"
import { bringUp, type LocalCloudflare, request } from "../process/local-cloudflare.ts"
import { sandboxSettings, textOf } from "../process/sandbox.ts"
import { frontEndServer, webOriginHere } from "../process/web-port.ts"
import { type Engine, prepareLocalEngine, removeCallersSettings } from "./engine.ts"
import { checkoutProject, generateProject, type Overrides, type Project } from "./project.ts"
import { keptResources, openStack } from "./stack.ts"
import type { StoredResource } from "./stored-state.ts"

/** An open stack of this machine. Disposing of it stops the local Cloudflare if it was started for it. */
export type LocalStack = AsyncDisposable & {
  /** State directory, absolute. */
  state: string
  cloudflare: LocalCloudflare
  engine: Engine
  project: Project
  stack: Stack
  api: Api
  provider: "official" | "stand-in"
}

const committed = resolve(root, "environments", "Pulumi.local.yaml")

/**
 * Finds the engine, joins or starts the local Cloudflare, and opens the stack.
 * Rejects a bad stack file before anything starts.
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
  removeCallersSettings()
  if (name === "local") {
    readStackFile({ path: template, name, label: "environments/Pulumi.local.yaml" })
  }
  const installed = await findEngine({ enginePath: options.engine })
  const cloudflare = running ?? (await bringUp(options))
  try {
    const { state } = options
    const { engine, provider } = await prepareLocalEngine({ state, installed, cloudflare })
    if (provider === "official") refuseRecords(name, keptResources(backendDirectory(state), name))
    // Only `local` itself uses the sandboxes, and only `npm start` runs them.
    const { config } = parseStackFile(template, template)
    const sandboxes = name === "local" ? await sandboxSettings(state, config) : {}
    const overridden = { config, overrides: { ...sandboxes, ...overrides } }
    const project = localProject({ options, cloudflare, name, template, ...overridden })
    await leadToFrontEnd(cloudflare, { config: { ...config, ...overrides }, state })
    const stack = await openStack({ project, engine })
    return {
      state,
      cloudflare,
      engine,
      project,
      stack,
      api: openApi({ baseUrl: project.baseUrl, token: cloudflare.token }),
      provider,
      [Symbol.asyncDispose]: () => cloudflare.stop(),
    }
  } catch (error) {
    await cloudflare.stop()
    throw error
  }
}

/**
 * Makes the local edge forward requests that the Worker does not handle to the front end's server, if a front
 * end shares the host.
 */
async function leadToFrontEnd(
  cloudflare: LocalCloudflare,
  { config, state }: { config: Record<string, unknown>; state: string },
) {
  const host = URL.parse(String(config["accounts:apiOrigin"]))?.hostname
  if (host === undefined || config["accounts:attach"] !== "paths") return
  const path = "/local/settings"
  const { result } = Settings.parse(await (await request(cloudflare, path)).json())
  const origins = { ...result.origins, [host]: frontEndServer(state) }
  await request(cloudflare, path, { method: "PUT", body: JSON.stringify({ origins }) })
}

const Settings = z.object({ result: z.object({ origins: z.record(z.string(), z.string()) }) })

/** The key that Cloudflare's provider writes into each output, as the stand-in does. */
const rawState = "__pulumi_raw_state_delta"

/**
 * Refuses a stack with records of the stand-in. Their resources never existed, so every command of the official
 * provider, even `destroy`, would fail on them with an unclear message.
 * @throws Failure before anything is changed, with both solutions
 */
function refuseRecords(stack: string, resources: StoredResource[]): void {
  const records = resources.filter(
    ({ type, outputs = {} }) => type.startsWith("cloudflare:") && !(rawState in outputs),
  )
  if (records.length === 0) return
  const urns = records.map(({ urn }) => `  ${urn.split("$").at(-1)}`)
  const forget = records.map(({ urn }) => `  pulumi state delete --yes -s ${stack} '${urn}'`)
  throw new Failure(
    "COMMAND_FAILED",
    [
      `The state of ${stack} has records of the stand-in, which Cloudflare's own provider cannot read:`,
      ...urns,
      "Nothing was changed. Go on with the stand-in: ACCOUNTS_PROVIDER=stand-in. Or take them out of the program, and forget them:",
      '  eval "$(./accounts local env)"',
      ...forget,
    ].join("\n"),
  )
}

function localProject(site: {
  options: LocalOptions
  cloudflare: LocalCloudflare
  name: string
  template: string
  config: Record<string, unknown>
  overrides: Overrides
}): Project {
  const { options, cloudflare, name, template, config, overrides } = site
  const written = { ...config, ...overrides }
  const web = written["accounts:webOrigin"]
  const moves = name === "local" && typeof web === "string" && URL.canParse(web)
  const webHere = moves ? webOriginHere(web, options.state) : web
  const here = { ...overrides, ...addressesHere(written, cloudflare, webHere) }
  const asCommitted =
    name === "local" &&
    options.state === defaultState &&
    Object.entries(here).every(([key, value]) => textOf(config[key]) === value)
  return asCommitted
    ? checkoutProject(name)
    : generateProject({ state: options.state, stack: name, template, overrides: here })
}

/** Returns the overrides that point a stack file to the actual ports of the local Cloudflare and front end. */
function addressesHere(
  config: Record<string, unknown>,
  { api, edge }: LocalCloudflare,
  webHere: unknown,
): Overrides {
  const overrides: Overrides = { "cloudflare:baseUrl": api }
  const written = config["accounts:apiOrigin"]
  const origin = URL.parse(String(written))
  if (!origin) return overrides
  if (origin.protocol === "http:") origin.port = new URL(edge).port
  const connect: Overrides = isLocalName(origin.hostname) ? {} : { "accounts:connectTo": edge }
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved)
    if (value === written) return origin.origin
    return value === config["accounts:webOrigin"] ? webHere : value
  }
  const keys = ["accounts:apiOrigin", "accounts:webOrigin", "accounts:trustedOrigins"]
  const origins = keys
    .filter((key) => key in config)
    .map((key) => [key, textOf(moved(config[key]))])
  return { ...overrides, ...connect, ...Object.fromEntries(origins) }
}
