import { expect, test } from "vitest"
import * as z from "zod"

import { askEdge } from "../cloudflare/testing/ask-edge.ts"
import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { createWorker, deployVersion, uploadVersion } from "../cloudflare/testing/worker.ts"

const List = z.object({
  result: z.object({
    deployments: z.array(z.object({ versions: z.array(z.object({ version_id: z.string() })) })),
  }),
})

const Answer = z.looseObject({
  errors: z.array(z.object({ code: z.number(), message: z.string() })),
})

test("a deployment needs one or two existing versions that add up to 100 %", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const { id: workerId } = await createWorker(client, account_id, "split")
  const upload = async () => (await uploadVersion(client, { workerId, accountId: account_id })).id
  const [one, two] = [await upload(), await upload()]
  const deploy = (shares: Record<string, number>) =>
    client.workers.scripts.deployments.create("split", {
      account_id,
      strategy: "percentage",
      versions: Object.entries(shares).map(([version_id, percentage]) => ({
        version_id,
        percentage,
      })),
    })

  for (const wrong of [{ [one]: 99 }, { [one]: 50, [two]: 51 }, { [one]: -1, [two]: 101 }, {}]) {
    await expect(deploy(wrong)).rejects.toThrow(/^400 /)
  }
  await expect(deploy({ [crypto.randomUUID()]: 100 })).rejects.toThrow(/^404 .*100146/)

  await deploy({ [one]: 100 })
  const split = await deploy({ [one]: 100, [two]: 0 })
  const live = await deploy({ [one]: 33.4, [two]: 66.6 })
  const list = `/accounts/${account_id}/workers/scripts/split/deployments`
  expect(await (await cloudflare.request(list)).json()).toMatchObject({
    result: { deployments: [{ versions: [{}, {}] }, split, { versions: [{ percentage: 100 }] }] },
  })
  expect(await (await cloudflare.request(`${list}?page=2&per_page=2`)).json()).toMatchObject({
    result: { deployments: [{ versions: [{ percentage: 100 }] }] },
  })
  const remove = (id: string) =>
    client.workers.scripts.deployments.delete(id, { account_id, script_name: "split" })
  await remove(split.id)
  await expect(remove(split.id)).rejects.toThrow("10336")
  await expect(remove(live.id)).rejects.toThrow(/live deployment/)
})

test("a rollback over a changed secret is refused by name unless it is forced", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const { id: workerId } = await createWorker(client, account_id, "rotated")
  const upload = async (secrets: Record<string, string>) => {
    const bindings = Object.entries(secrets).map(([name, text]) => ({
      type: "secret_text" as const,
      name,
      text,
    }))
    return (await uploadVersion(client, { workerId, accountId: account_id, bindings })).id
  }
  const deploy = async (query: string, ...ids: string[]) => {
    const path = `/accounts/${account_id}/workers/scripts/rotated/deployments${query}`
    const versions = ids.map((version_id) => ({ version_id, percentage: 100 / ids.length }))
    const body = JSON.stringify({ strategy: "percentage", versions })
    const response = await cloudflare.request(path, { method: "POST", body })
    return { status: response.status, ...Answer.parse(await response.json()) }
  }
  const first = await upload({ KEPT: "same", ROTATED: "one", REMOVED: "one" })
  const second = await upload({ KEPT: "same", ROTATED: "two", ADDED: "two" })
  const third = await upload({ KEPT: "same", ROTATED: "two", ADDED: "two" })

  for (const ids of [[first], [first, second], [first], [second]]) {
    expect(await deploy("", ...ids)).toMatchObject({ status: 200 })
  }
  expect(await deploy("", first)).toMatchObject({
    status: 400,
    errors: [
      {
        code: 10_220,
        message:
          "A secret has changed since this version was active. If you are sure this is ok, add a ?force=true query parameter to allow the rollback. The following secrets have changed: ADDED, REMOVED, ROTATED",
      },
    ],
  })
  expect(await deploy("", third)).toMatchObject({ status: 200 })
  expect(await deploy("", second)).toMatchObject({ status: 200 })
  expect(await deploy("?force=true", first)).toMatchObject({ status: 200 })
  expect(await deploy("", second)).toMatchObject({ status: 200 })
})

test("concurrent deployments never mix", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  const { id: workerId } = await createWorker(client, accountId, "busy")
  const uploads = await Promise.all(
    Array.from({ length: 4 }, () => uploadVersion(client, { workerId, accountId })),
  )
  expect(uploads.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4])
  await Promise.all(
    uploads.map(({ id }) => deployVersion(client, { accountId, script: "busy", versionId: id })),
  )
  await client.workers.domains.update({
    account_id: accountId,
    hostname: "busy.accounts.test",
    service: "busy",
  })
  const list = await cloudflare.request(`/accounts/${accountId}/workers/scripts/busy/deployments`)
  const { result } = List.parse(await list.json())
  expect(result.deployments).toHaveLength(4)
  const live = result.deployments[0]?.versions[0]?.version_id
  expect((await askEdge(cloudflare.edge, "busy.accounts.test", "/")).text).toBe(live)
})
