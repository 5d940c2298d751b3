import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { compatibilityDate, compatibilityFlags } from "../../app/runtime.ts"
import { migrationsDirectory, root } from "../../root.ts"
import { Failure, print } from "../output.ts"
import { expectRunning } from "../process/local-cloudflare.ts"
import { openBackend, readingEngine } from "../stack/backend.ts"
import type { LocalOptions } from "../stack/local-stack.ts"

/** Wrangler refuses to run without a config file; this one lives outside the repository and is nobody's truth. */
export async function wranglerConfig(options: LocalOptions & { json: boolean }): Promise<void> {
  const running = await expectRunning(options.state)
  const backend = await openBackend(await readingEngine(options))
  const deployed = (await backend.listStacks()).some(({ name }) => name === "local")
  const outputs = deployed ? await backend.stackOutputs("local") : {}
  if (!outputs["worker"] || !outputs["databaseId"]) {
    throw new Failure("The stack `local` is not deployed. `npm start` brings it up.")
  }
  const path = join(mkdtempSync(join(tmpdir(), "accounts-wrangler-")), "wrangler.json")
  const worker = String(outputs["worker"].value)
  const config = {
    name: worker,
    account_id: running.accountId,
    main: join(root, "app", "worker.ts"),
    compatibility_date: compatibilityDate,
    compatibility_flags: compatibilityFlags,
    d1_databases: [
      {
        binding: "DB",
        database_name: worker,
        database_id: String(outputs["databaseId"].value),
        migrations_dir: migrationsDirectory,
      },
    ],
  }
  writeFileSync(path, JSON.stringify(config, undefined, 2))
  print(options.json ? JSON.stringify({ path }) : path)
}
