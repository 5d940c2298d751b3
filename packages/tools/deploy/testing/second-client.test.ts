import { expect, test } from "vitest"

import { startProviderUnderTest } from "./provider-under-test.ts"
import { openSecondClient } from "./second-client.ts"

const { account, setUpWorker } = await startProviderUnderTest()

test("a second client edits a secret of whatever serves, with a version that then serves alone", async () => {
  const worker = await setUpWorker("well", "well", "well")
  const secondClient = openSecondClient(account, worker)
  const edited: string[] = []
  for (const act of [secondClient.split, secondClient.deploy, secondClient.rollBack]) {
    await act()
    await secondClient.editSecret()
    const [live] = await worker.shares()
    expect(Object.values(live ?? {})).toEqual([100])
    edited.push(...Object.keys(live ?? {}))
  }
  expect(new Set([...edited, worker.first, worker.second, worker.third]).size).toBe(6)
})
