import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { migrationsDirectory, root } from "../../base/root.ts"
import { project } from "../../environment/project/own-project.ts"
import { hasLanguageHost, shellLines } from "../engine/engine-environment.ts"
import { findEngine } from "../engine/engine.ts"
import type { LocalOptions } from "../local-options.ts"
import { print, say } from "../output.ts"
import { expectRunning, findRunning, readToken } from "../process/local-cloudflare.ts"
import { localBackendEngine, prepareLocalEngine, readOutputs, stoppedCloudflare } from "./engine.ts"

/** Prints the shell lines that make `pulumi` and `wrangler` work on `local`. */
export async function printEnvironment(options: LocalOptions & { json: boolean }): Promise<void> {
  const { state, json } = options
  const running = await findRunning(state)
  const cloudflare = running ?? stoppedCloudflare(options, readToken(state))
  if (!running) {
    say("The local Cloudflare is not running: start it with `npm start` in another terminal.")
  }
  const installed = await findEngine({ enginePath: options.engine })
  const { engine } = await prepareLocalEngine({ state, installed, cloudflare })
  const values = {
    ...engine.environment,
    CLOUDFLARE_API_BASE_URL: cloudflare.api,
    ACCOUNTS_PROJECT: projectDirectory(state),
  }
  if (!(await hasLanguageHost(installed.command))) {
    say(
      `The engine ${installed.command} has no language host for Node, so pulumi up, preview and destroy do not work with it. ` +
        "Use ./accounts up, plan and destroy -s local instead.",
    )
  }
  print(json ? JSON.stringify(values) : shellLines(values))
}

/** Returns the directory for `pulumi -C`: the project generated for this state directory, or the checkout. */
function projectDirectory(state: string): string {
  const generated = resolve(state, "projects", "local")
  return existsSync(join(generated, "Pulumi.yaml")) ? generated : root
}

const Deployed = z.object({ worker: z.string(), databaseId: z.string() })

/**
 * Writes the config file that wrangler requires, and returns its path. It describes the deployment and is in the
 * state directory, so that it never becomes a second source.
 */
export async function writeWranglerConfig(options: LocalOptions): Promise<string> {
  const running = await expectRunning(options.state)
  const outputs = await readOutputs(await localBackendEngine(options), "local")
  const { data: deployed } = Deployed.safeParse(outputs)
  if (!deployed) {
    throw new Failure(
      "COMMAND_FAILED",
      "The stack `local` is not deployed. Deploy it with `npm start`.",
    )
  }
  const folder = resolve(options.state, "wrangler")
  mkdirSync(folder, { recursive: true })
  const path = join(folder, "wrangler.json")
  const { worker, databaseId } = deployed
  const config = {
    name: worker,
    account_id: running.accountId,
    main: join(root, ...project.bundling.entryPoints.slice(0, 1)),
    compatibility_date: project.runtime.compatibilityDate,
    compatibility_flags: project.runtime.compatibilityFlags,
    d1_databases: [
      {
        binding: "DB",
        database_name: worker,
        database_id: databaseId,
        migrations_dir: migrationsDirectory,
      },
    ],
  }
  writeFileSync(path, JSON.stringify(config, undefined, 2))
  return path
}
