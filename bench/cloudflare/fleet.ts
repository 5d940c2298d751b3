import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"

import { askEdge } from "@accounts/local/cloudflare/testing/ask-edge"
import { localCloudflareProcess } from "@accounts/local/cloudflare/testing/local-cloudflare"
import {
  createWorker,
  deployVersion,
  uploadVersion,
} from "@accounts/local/cloudflare/testing/worker"
import * as z from "zod"

import { workerCode, schema } from "./bench-worker.ts"

type Member = { id: string; name: string; host: string; versionId: string }

const Status = z.object({ processes: z.array(z.object({ name: z.string(), pid: z.int() })) })

/** A local Cloudflare, started the usual way, with any number of live Workers. */
export async function openFleet() {
  await using disposables = new AsyncDisposableStack()
  const cloudflare = disposables.use(await localCloudflareProcess())
  const { accountId } = cloudflare
  const members: Member[] = []
  let client = await cloudflare.client()
  const { uuid: databaseId = "" } = await client.d1.database.create({
    account_id: accountId,
    name: "bench",
  })
  await client.d1.database.query(databaseId, { account_id: accountId, sql: schema })

  const answer = async ({ host }: Member) => (await askEdge(cloudflare.edge, host, "/")).text

  /** Uploads and deploys a version, and resolves when the edge answers with it. */
  async function release(member: Member): Promise<void> {
    const edition = randomUUID()
    const { id: versionId } = await uploadVersion(client, {
      workerId: member.id,
      accountId,
      code: workerCode(edition),
      bindings: [{ type: "d1", name: "DB", database_id: databaseId }],
    })
    await deployVersion(client, { accountId, script: member.name, versionId })
    while ((await answer(member)) !== edition) await sleep(5)
    member.versionId = versionId
  }

  async function add(): Promise<void> {
    const name = `bench-${members.length + 1}`
    const { id } = await createWorker(client, accountId, name)
    const member = { id, name, host: `${name}.accounts.test`, versionId: "" }
    const domain = { account_id: accountId, hostname: member.host, service: name }
    await client.workers.domains.update(domain)
    await release(member)
    members.push(member)
  }

  const open = disposables.move()
  return {
    cloudflare,
    release,
    /** The first one, when there are so many. */
    async grow(size: number): Promise<Member> {
      while (members.length < size) await add()
      const [first] = members
      if (first === undefined) throw new Error("Nothing is live yet")
      return first
    },
    /** Until it is ready, with every Worker running. */
    async restart(): Promise<void> {
      await cloudflare.restart("SIGTERM")
      client = await cloudflare.client()
    },
    /** Pids, after one request to every Worker; of the versions, only live ones. */
    async processes() {
      for (const member of members) await answer(member)
      const live = new Set(members.map(({ name, versionId }) => `${name} ${versionId.slice(0, 8)}`))
      const response = await cloudflare.request("/../../local/status")
      const { processes } = Status.parse(await response.json())
      const storage = processes.filter(({ name }) => name === "storage").map(({ pid }) => pid)
      const versions = processes.filter(({ name }) => live.has(name)).map(({ pid }) => pid)
      if (versions.length !== members.length) throw new Error("Not every Worker runs")
      return { own: [cloudflare.pid], storage, versions }
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
