import { expect, test } from "vitest"

import { openRotatedStack } from "./testing/stacks/rotated-stack.ts"

const week = 7 * 24 * 60 * 60 * 1000

test("a rotation that is released step by step under load ends no session, and nor does its end", async () => {
  await using stack = await openRotatedStack()
  await using load = await stack.startLoad()
  let served: string[] = []
  /** Releases, and expects that neither the previous nor the new version signed a member out. */
  const releasedUnderLoad = async () => {
    load.take()
    const version = await stack.release()
    const { answers } = load.take()
    await load.askAll()
    expect(load.lost).toEqual([])
    expect(Object.keys(answers)).toHaveLength(2)
    expect(Object.keys(answers)).toContain(version)
    expect(served).not.toContain(version)
    served = [...served, version]
  }

  expect(await stack.secret("rotate", "AUTH_SECRET", "--in", "1")).toMatchObject({ code: 0 })
  await releasedUnderLoad()
  const secondRotation = await stack.secret("rotate", "AUTH_SECRET")
  expect(secondRotation).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("was rotated already"),
  })

  // The hour has passed: from now on the new secret signs, and both versions accept both.
  stack.beginAt(Date.now() - 1000)
  await releasedUnderLoad()

  // Days of use: every session is renewed, which the new secret signs.
  expect(load.everybody.map(({ renewals }) => renewals)).toEqual(load.everybody.map(() => 0))
  const first = load.everybody.map(({ cookie }) => cookie)[0] ?? ""
  const aged = [...load.everybody]
  // A session that is not renewed in time, as on a busy machine, is renewed by a later request.
  await expect
    .poll(async () => {
      await stack.expireAt(Date.now() + week / 2)
      await load.askAll()
      return aged.filter(({ renewals }) => renewals === 0)
    })
    .toEqual([])

  stack.beginAt(Date.now() - week - 60_000)
  stack.endRotation()
  await releasedUnderLoad()
  expect(stack.read()).not.toMatch(/AUTH_SECRET_PREVIOUS|authSecretFrom/)
  // A session that was not renewed within the week has ended.
  expect(await load.knows(first)).toBe(false)
})
