import { expect, test } from "vitest"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { recordExchanges } from "../cloudflare/testing/record-exchanges.ts"
import { wireFiles } from "../cloudflare/testing/wire-files.ts"
import { createWorker, deployVersion, uploadVersion } from "../cloudflare/testing/worker.ts"
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
        "migrations/0000_first.sql": "CREATE TABLE note (text TEXT);",
        "extra.sql": "INSERT INTO note VALUES ('from; a file');\nSELECT 1;",
      },
    })
    await wire.of("d1-create", () => wrangler.run(["d1", "create", "wire"]))
    const [{ uuid }] = JSON.parse(
      await wire.of("d1-list", () => wrangler.run(["d1", "list", "--json"])),
    )
    await wrangler.configure({
      name: "wire",
      d1_databases: [{ binding: "DB", database_name: "wire", database_id: uuid }],
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
    const travel = ["d1", "time-travel", "info", "wire", "--json"]
    const { bookmark } = JSON.parse(await run("d1-time-travel-info", travel))
    const restore = ["d1", "time-travel", "restore", "wire", "--bookmark", bookmark, "--json"]
    await run("d1-time-travel-restore", restore)

    const { accountId } = cloudflare
    const client = await cloudflare.client()
    const { id: workerId } = await createWorker(client, accountId, "wire")
    const upload = async (greeting: string) => {
      const secret = { type: "secret_text" as const, name: "GREETING", text: greeting }
      const { id } = await uploadVersion(client, { accountId, workerId, bindings: [secret] })
      return id
    }
    const [oldest, newest] = [await upload("hello"), await upload("hello")]
    for (const versionId of [oldest, newest]) {
      await deployVersion(client, { accountId, script: "wire", versionId })
    }
    await run("versions-list", ["versions", "list", "--json"])
    await run("versions-view", ["versions", "view", newest])
    await run("deployments-list", ["deployments", "list"])
    await run("deployments-status", ["deployments", "status"])
    const uploaded = await upload("good bye")
    await run("versions-deploy", ["versions", "deploy", `${newest}@20%`, `${uploaded}@80%`, "-y"])
    await run("versions-secret-put", ["versions", "secret", "put", "LATER"], "later")
    await run("rollback", ["rollback", oldest, "-y", "--message", "back"])
    await run("d1-delete", ["d1", "delete", "wire", "-y"])
    await wire.areAll()
  },
)
