import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { migrationsDirectory, root } from "../root.ts"
import { openLocalStack, type LocalOptions } from "./local-stack.ts"
import { print } from "./output.ts"

/** Wrangler refuses to run without a config file; this one lives outside the repository and is nobody's truth. */
export async function wranglerConfig(options: LocalOptions & { json: boolean }): Promise<void> {
  await using local = await openLocalStack(options)
  const outputs = await local.stack.outputs()
  const path = join(mkdtempSync(join(tmpdir(), "accounts-wrangler-")), "wrangler.json")
  const worker = String(outputs["worker"]?.value)
  const config = {
    name: worker,
    account_id: local.cloudflare.accountId,
    main: join(root, "app", "worker.ts"),
    compatibility_date: "2026-08-01",
    compatibility_flags: ["nodejs_compat"],
    d1_databases: [
      {
        binding: "DB",
        database_name: worker,
        database_id: String(outputs["databaseId"]?.value),
        migrations_dir: migrationsDirectory,
      },
    ],
  }
  writeFileSync(path, JSON.stringify(config, undefined, 2))
  print(options.json ? JSON.stringify({ path }) : path)
}
