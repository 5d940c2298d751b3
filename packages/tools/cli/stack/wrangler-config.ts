import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { migrationsDirectory, root } from "../../base/root.ts"
import { project } from "../../environment/project/own-project.ts"
import type { LocalOptions } from "../local-options.ts"
import { expectRunning } from "../process/local-cloudflare.ts"
import { readOutputs } from "./backend.ts"
import { localBackendEngine } from "./local-engine.ts"

const Deployed = z.object({ worker: z.string(), databaseId: z.string() })

/**
 * Writes the config file without which wrangler refuses to run, and returns its path. It describes
 * what is deployed and lies with the state, so that it never becomes a second source.
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
