import { expect, test } from "vitest"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { recordExchanges } from "../cloudflare/testing/record-exchanges.ts"
import { wireFiles } from "../cloudflare/testing/wire-files.ts"
import { source } from "../cloudflare/testing/worker.ts"
import { wranglerProject } from "../cloudflare/testing/wrangler.ts"

test(
  "wrangler's requests and their responses match the committed logs",
  { timeout: 600_000 },
  async () => {
    await using recording = await recordExchanges(localCloudflare)
    const { cloudflare } = recording
    const wire = wireFiles(recording, "wrangler")
    await using wrangler = await wranglerProject({
      cloudflare,
      config: { name: "wire" },
      files: {
        "worker.js": source,
        "migrations/0000_first.sql": "CREATE TABLE note (text TEXT);",
        "extra.sql": "INSERT INTO note VALUES ('from; a file');\nSELECT 1;",
        "bulk.json": JSON.stringify({ GREETING: "in bulk", OTHER: "too" }),
      },
    })
    await wire.of("d1-create", () => wrangler.run(["d1", "create", "wire"]))
    const [{ uuid }] = JSON.parse(
      await wire.of("d1-list", () => wrangler.run(["d1", "list", "--json"])),
    )
    await wrangler.configure({
      name: "wire",
      main: "worker.js",
      compatibility_date: "2026-08-01",
      d1_databases: [{ binding: "DB", database_name: "wire", database_id: uuid }],
      version_metadata: { binding: "VERSION" },
      vars: { TEXT: "plain", DATA: { deep: [1] } },
      observability: { enabled: true, head_sampling_rate: 0.5 },
      preview_urls: true,
      workers_dev: true,
      routes: [
        { pattern: "wire.accounts.test", custom_domain: true },
        { pattern: "*.accounts.test/wired*", zone_name: "accounts.test" },
      ],
      triggers: { crons: ["*/5 * * * *"] },
    })
    const run = (command: string, args: string[], stdin?: string) =>
      wire.of(command, () => wrangler.run(args, stdin))

    const remote = ["wire", "--remote"]
    await run("d1-migrations-list", ["d1", "migrations", "list", ...remote])
    await run("d1-migrations-apply", ["d1", "migrations", "apply", ...remote])
    const select = ["--json", "--command", "SELECT 'é;' AS a; SELECT count(*) FROM note"]
    await run("d1-execute-command", ["d1", "execute", ...remote, ...select])
    const broken = ["d1", "execute", ...remote, "--command", "SELECT nothing"]
    await wire.of("d1-execute-refused", () =>
      expect(wrangler.run(broken)).rejects.toThrow("nothing"),
    )
    await run("d1-execute-file", ["d1", "execute", ...remote, "-y", "--file", "extra.sql"])
    await run("d1-export", ["d1", "export", ...remote, "--output", "dump.sql"])
    await run("d1-info", ["d1", "info", "wire", "--json"])
    await run("d1-insights", ["d1", "insights", "wire", "--json", "--sort-by", "count"])
    const travel = ["d1", "time-travel", "info", "wire", "--json"]
    const { bookmark } = JSON.parse(await run("d1-time-travel-info", travel))
    const restore = ["d1", "time-travel", "restore", "wire", "--bookmark", bookmark, "--json"]
    await run("d1-time-travel-restore", restore)

    await run("deploy-first", ["deploy"])
    await run("deploy-again", ["deploy", "--message", "again", "--tag", "v2"])
    await run("secret-put", ["secret", "put", "GREETING"], "hello")
    await run("secret-bulk", ["secret", "bulk", "bulk.json"])
    await run("secret-list", ["secret", "list"])
    await run("secret-delete", ["secret", "delete", "OTHER"])
    const versions = JSON.parse(await run("versions-list", ["versions", "list", "--json"]))
    const [oldest, newest] = [versions.at(0).id, versions.at(-1).id]
    await run("versions-view", ["versions", "view", newest])
    await run("deployments-list", ["deployments", "list"])
    await run("deployments-status", ["deployments", "status"])
    await run("versions-upload", ["versions", "upload", "--preview-alias", "next"])
    const uploaded = JSON.parse(await wrangler.run(["versions", "list", "--json"])).at(-1).id
    // A version with other secrets than the live one could only be rolled back to.
    await run("versions-deploy", ["versions", "deploy", `${newest}@20%`, `${uploaded}@80%`, "-y"])
    await run("versions-secret-put", ["versions", "secret", "put", "LATER"], "later")
    await run("rollback", ["rollback", oldest, "-y", "--message", "back"])
    await run("triggers-deploy", ["triggers", "deploy"])
    await run("delete", ["delete", "--force"])
    await run("d1-delete", ["d1", "delete", "wire", "-y"])
    await wire.areAll()
  },
)
