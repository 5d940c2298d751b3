import {
  readDrizzleKitRecording,
  triedShapes,
} from "@accounts-stack/d1-migrations/testing/internals"
import { seededRandom } from "@accounts-stack/local/seeded-random"
import { afterAll, expect, test } from "vitest"

import { startLocalCloudflare } from "../deploy/testing/local-cloudflare.ts"
import { migrateByDrizzleKit } from "./testing/drizzle-kit/migrate.ts"

const seed = Number(process.env["SOAK_SEED"] ?? 1)
const few = 8

const cloudflare = await startLocalCloudflare()
afterAll(() => cloudflare[Symbol.asyncDispose]())

/** A few, by the seed; with the full budget all. */
function chosenShapes() {
  const shapes = triedShapes()
  if (process.env["SOAK_BUDGET"] === "full") return shapes
  const random = seededRandom(seed)
  const drawn = shapes.map((shape) => ({ shape, lot: random() }))
  return drawn
    .toSorted((a, b) => a.lot - b.lot)
    .slice(0, few)
    .map(({ shape }) => shape)
}

test.each(chosenShapes())("drizzle-kit does as recorded: $title", async (shape) => {
  const { verdicts } = readDrizzleKitRecording()
  expect(await migrateByDrizzleKit(cloudflare, shape)).toBe(verdicts[shape.title])
})
