import { existsSync } from "node:fs"
import { join, resolve } from "node:path"

import { root } from "../../base/root.ts"
import { shellLines } from "../engine/engine-environment.ts"
import { hasLanguageHost } from "../engine/engine-environment.ts"
import { findEngine } from "../engine/engine.ts"
import type { LocalOptions } from "../local-options.ts"
import { print, say } from "../output.ts"
import { findRunning, readToken } from "../process/local-cloudflare.ts"
import { prepareLocalEngine, stoppedCloudflare } from "./local-engine.ts"

/** Prints the shell lines that make `pulumi` and `wrangler` work on `local`. */
export async function printEnvironment(options: LocalOptions & { json: boolean }): Promise<void> {
  const { state, json } = options
  const running = await findRunning(state)
  const cloudflare = running ?? stoppedCloudflare(options, readToken(state))
  if (!running) {
    say("The local Cloudflare is not running: start it with `npm start` in another terminal.")
  }
  const found = await findEngine({ enginePath: options.engine })
  const { engine } = await prepareLocalEngine({ state, found, cloudflare })
  const values = {
    ...engine.environment,
    CLOUDFLARE_API_BASE_URL: cloudflare.api,
    ACCOUNTS_PROJECT: projectDirectory(state),
  }
  if (!(await hasLanguageHost(found.command))) {
    say(
      `The engine ${found.command} has no language host for Node, so pulumi up, preview and destroy do not work with it. ` +
        "Use ./accounts up, plan and destroy -s local instead.",
    )
  }
  print(json ? JSON.stringify(values) : shellLines(values))
}

/** For `pulumi -C`: the project that was generated for this state directory, if there is one. */
function projectDirectory(state: string): string {
  const generated = resolve(state, "projects", "local")
  return existsSync(join(generated, "Pulumi.yaml")) ? generated : root
}
