import {
  localCloudflare,
  type LocalCloudflare,
} from "@accounts-stack/local/cloudflare/testing/local-cloudflare"
import {
  createWorker,
  deployVersion,
  uploadVersion,
} from "@accounts-stack/local/cloudflare/testing/worker"
import type { Browser } from "playwright-core"
import * as z from "zod"

/** Text of a secret binding of the Worker. */
export const secret = "a secret that no page may show"
export const host = "shown.accounts.test"

/** A local Cloudflare with the Worker `shown`, and the database `pets` with 60 rows in `note`. */
export async function openConsoleSite() {
  const cloudflare = await localCloudflare()
  return {
    cloudflare,
    origin: new URL(cloudflare.api).origin,
    version: await deploySomething(cloudflare),
    link: () => link(cloudflare),
    [Symbol.asyncDispose]: () => cloudflare[Symbol.asyncDispose](),
  }
}

/** @returns the id of the version */
async function deploySomething(cloudflare: LocalCloudflare): Promise<string> {
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  const database = await client.d1.database.create({ account_id: accountId, name: "pets" })
  const rows = Array.from({ length: 60 }, (_, index) => `('pet ${index + 1}')`)
  await client.d1.database.query(database.uuid ?? "", {
    account_id: accountId,
    sql: `CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO note (text) VALUES ${rows.join(", ")}`,
  })
  const worker = await createWorker(client, accountId, "shown")
  const { id } = await uploadVersion(client, {
    workerId: worker.id,
    accountId,
    bindings: [
      { type: "d1", name: "DB", database_id: database.uuid ?? "" },
      { type: "secret_text", name: "HIDDEN", text: secret },
    ],
  })
  await deployVersion(client, { accountId, script: "shown", versionId: id })
  await client.workers.domains.update({
    account_id: accountId,
    hostname: host,
    service: "shown",
  })
  return id
}

async function link(cloudflare: LocalCloudflare): Promise<string> {
  const made = await cloudflare.local("/local/console/link", undefined, "POST")
  return z.object({ url: z.url() }).parse(made).url
}

/** A tab that records the origins it requests and its errors and warnings. */
export async function openTab(
  browser: Browser,
  options: Parameters<Browser["newContext"]>[0] = {},
) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const asked = new Set<string>()
  const complaints: string[] = []
  page.on("request", (request) => asked.add(new URL(request.url()).origin))
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text())
  })
  return { context, page, asked, complaints, [Symbol.asyncDispose]: () => context.close() }
}
