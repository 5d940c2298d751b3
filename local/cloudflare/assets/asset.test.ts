import { createHash } from "node:crypto"

import { expect, test } from "vitest"

import { askEdge } from "../testing/ask-edge.ts"
import { localCloudflare, localCloudflareProcess } from "../testing/local-cloudflare.ts"
import { createWorker, deployVersion } from "../testing/worker.ts"
import { wranglerProject } from "../testing/wrangler.ts"

const worker = `export default { fetch: (request) => new Response("worker at " + request.url) }`

test("wrangler deploys assets, sends only what changed, and keeps them", async () => {
  await using cloudflare = await localCloudflareProcess()
  const config = {
    name: "site",
    main: "worker.js",
    compatibility_date: "2026-08-01",
    workers_dev: false,
    routes: [{ pattern: "site.accounts.test", custom_domain: true }],
    assets: { directory: "public", binding: "ASSETS" },
  }
  const files = {
    "worker.js": worker,
    "public/index.html": "<h1>first</h1>",
    "public/deep/style.css": "b { color: red }",
    "public/blob.unknown-type": "bytes",
    "public/_headers": "/deep/*\n  X-Own: yes",
  }
  const ask = (path: string) => askEdge(cloudflare.edge, "site.accounts.test", path)

  await using project = await wranglerProject({ cloudflare, config, files })
  expect(await project.run(["deploy"])).toContain("Uploaded 3 of 3 assets")
  expect(await ask("/")).toMatchObject({ status: 200, text: "<h1>first</h1>" })
  const style = await ask("/deep/style.css")
  expect(style.headers).toMatchObject({ "x-own": "yes", "content-type": "text/css; charset=utf-8" })
  expect((await ask("/blob.unknown-type")).headers["content-type"]).toBeUndefined()
  expect((await ask("/api")).text).toBe("worker at http://site.accounts.test/api")

  await project.write("public/index.html", "<h1>second</h1>")
  expect(await project.run(["deploy"])).toContain("Uploaded 1 of 1 asset")
  expect((await ask("/")).text).toBe("<h1>second</h1>")
  expect((await ask("/deep/style.css")).headers["etag"]).toBe(style.headers["etag"])
  expect(await project.run(["deploy"])).toContain("No updated asset files to upload")

  await cloudflare.restart("SIGKILL")
  expect((await ask("/")).text).toBe("<h1>second</h1>")
  // Where the API is now.
  await using again = await wranglerProject({ cloudflare, config, files })
  await again.run(["secret", "put", "TOKEN"], "x")
  expect((await ask("/deep/style.css")).text).toBe("b { color: red }")

  const { main: _, ...alone } = { ...config, assets: { directory: "public" } }
  await again.configure(alone)
  await again.run(["deploy"])
  expect((await ask("/")).text).toBe("<h1>first</h1>")
  expect((await ask("/api")).status).toBe(404)
})

const page = Buffer.from("<p>page</p>")
const hash = createHash("sha256").update(page).digest("hex").slice(0, 32)

test("the SDK uploads assets and binds them to a version", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const { id: workerId } = await createWorker(client, account_id, "site")
  const open = () =>
    client.workers.scripts.assets.upload.create("site", {
      account_id,
      manifest: { "/index.html": { hash, size: page.length } },
    })
  const send = (jwt = "", content = page.toString("base64"), name = hash) => {
    const form = new FormData()
    form.append(name, new File([content], name, { type: "text/html" }))
    return cloudflare.request(`/accounts/${account_id}/workers/assets/upload?base64=true`, {
      method: "POST",
      headers: { authorization: `Bearer ${jwt}` },
      body: form,
    })
  }
  const createVersion = (jwt: string) =>
    client.workers.beta.workers.versions.create(workerId, {
      account_id,
      compatibility_date: "2026-08-01",
      assets: { jwt, config: { not_found_handling: "single-page-application" } },
      modules: [
        {
          name: "_headers",
          content_type: "text/plain",
          content_base64: Buffer.from("/*\n  X-Own: yes").toString("base64"),
        },
      ],
    })

  const { jwt = "", buckets } = await open()
  expect(buckets).toEqual([[hash]])
  const [, payload = ""] = jwt.split(".")
  const { exp } = JSON.parse(Buffer.from(payload, "base64url").toString())
  expect(exp * 1000 - Date.now()).toBeGreaterThan(3_500_000)
  await expect(createVersion(jwt)).rejects.toThrow("not valid")
  expect((await send(cloudflare.token)).status).toBe(401)
  expect((await send(jwt, "AAAA")).status).toBe(400)
  expect((await send(jwt, "", "0".repeat(32))).status).toBe(400)
  const sent = await send(jwt)
  expect(sent.status).toBe(201)
  const { result } = Object(await sent.json())

  const { id: versionId, ...version } = await createVersion(result.jwt)
  expect(version).toMatchObject({
    assets: { config: { not_found_handling: "single-page-application" } },
    modules: [{ name: "_headers" }],
  })
  await deployVersion(client, { accountId: account_id, script: "site", versionId })
  await client.workers.domains.update({
    account_id,
    hostname: "site.accounts.test",
    service: "site",
  })
  const answer = await askEdge(cloudflare.edge, "site.accounts.test", "/any/path")
  expect(answer).toMatchObject({ status: 200, text: "<p>page</p>", headers: { "x-own": "yes" } })

  expect((await open()).buckets).toEqual([])
  const other = await createWorker(client, account_id, "other")
  await expect(
    client.workers.beta.workers.versions.create(other.id, {
      account_id,
      assets: { jwt: result.jwt },
    }),
  ).rejects.toThrow("uploaded for site, not other")
})
