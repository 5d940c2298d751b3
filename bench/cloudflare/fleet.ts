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
  const cloudflare = await localCloudflareProcess()
  const { accountId } = cloudflare
  const members: Member[] = []
  try {
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

    return {
      cloudflare,
      async grow(size: number) {
        while (members.length < size) await add()
      },
      first() {
        const [member] = members
        if (member === undefined) throw new Error("Nothing is live yet")
        return member
      },
      release,
      /** Sends one request to every Worker. */
      async visit() {
        for (const member of members) await answer(member)
      },
      /** @returns milliseconds from the start until it is ready, with every Worker running */
      async restart(): Promise<number> {
        await cloudflare.stop("SIGTERM")
        const began = performance.now()
        await cloudflare.start()
        const ended = performance.now()
        client = await cloudflare.client()
        return ended - began
      },
      /** Pids of its processes; of the versions, only live ones. */
      async processes(): Promise<Processes> {
        const live = new Set(members.map(({ name, versionId }) => processName(name, versionId)))
        const response = await cloudflare.request("/../../local/status")
        const { processes } = Status.parse(await response.json())
        const storage = processes.find(({ name }) => name === "storage")
        if (storage === undefined) throw new Error("No process is named storage")
        return {
          main: cloudflare.pid,
          storage: storage.pid,
          versions: processes.filter(({ name }) => live.has(name)).map(({ pid }) => pid),
        }
      },
      [Symbol.asyncDispose]: () => cloudflare[Symbol.asyncDispose](),
    }
  } catch (error) {
    await cloudflare[Symbol.asyncDispose]()
    throw error
  }
}

export type Fleet = Awaited<ReturnType<typeof openFleet>>

export type Processes = { main: number; storage: number; versions: number[] }

function processName(script: string, versionId: string) {
  return `${script} ${versionId.slice(0, 8)}`
}
