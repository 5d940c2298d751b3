import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { records } from "../../records.ts"
import { forgetAttempts } from "../../testing/clock.ts"
import { contestAddress, remotes } from "../../testing/contested-address.ts"
import { createNetwork } from "../../testing/network.ts"
import { createSeededRandom } from "../../testing/seeded-random.ts"
import { sweep } from "../sweep/sweep.ts"

/* After the owner of an address has proven it, only the owner gets in, whatever both did before. */

/** Tens of sequences; set by the configuration of the tests. */
declare const SEEDED_ROUNDS: number
declare const SEEDED_FROM: number
/** Acts; all sequences of up to so many are played. Where that is one, each start has every second of them. */
declare const LONGEST_SEQUENCE: number

type World = Awaited<ReturnType<typeof contestAddress>>
type Act = keyof World["acts"]
type Proof = keyof World["proofs"]

/** @returns what is left of a stranger; undefined if this is no proof after these acts */
async function play(start: boolean, acts: Act[], proof: Proof) {
  createNetwork(remotes)
  const world = await contestAddress()
  world.set.verifies = start
  await forgetAttempts()
  for (const act of acts) {
    await world.acts[act]()
  }
  await forgetAttempts()
  const isProven = await world.proofs[proof]()
  return isProven ? await world.leftOf() : undefined
}

const formerFindings: [boolean, Act[]][] = [
  [false, ["mallory signs up", "mallory links"]],
  [false, ["mallory signs up", "mallory links", "verification is switched"]],
  [false, ["mallory signs up", "mallory links", "mallory unlinks"]],
  [false, ["mallory signs up", "mallory begins to link", "mallory shows herself"]],
  [true, ["mallory enters"]],
  [true, ["mallory signs up"]],
  [true, ["mallory signs up", "the owner signs up"]],
  [
    true,
    [
      "the owner signs up",
      "mallory signs up",
      "verification is switched",
      "mallory signs in",
      "mallory links",
    ],
  ],
  [
    true,
    [
      "mallory signs up",
      "verification is switched",
      "mallory signs in",
      "mallory links",
      "verification is switched",
    ],
  ],
]
const proofs: Proof[] = ["reset", "letter", "workspace", "provider"]

test.each(
  formerFindings.flatMap(([start, acts]) => proofs.map((proof) => ({ start, acts, proof }))),
)(
  "only the owner keeps access: verification $start, $acts, then by $proof",
  async ({ start, acts, proof }) => {
    const remains = await play(start, acts, proof)
    expect(remains ?? (proof === "letter" ? [] : "no proof")).toEqual([])
  },
)

const everyAct = Object.keys((await contestAddress()).acts) as Act[]
const random = createSeededRandom(SEEDED_FROM)

test(
  `only the owner keeps access after ${SEEDED_ROUNDS * 10} sequences of five acts`,
  { timeout: 120_000 + SEEDED_ROUNDS * 20_000 },
  async () => {
    let proven = 0
    for (let round = 0; round < SEEDED_ROUNDS * 10; round += 1) {
      const acts = Array.from({ length: 5 }, () => random.pick(everyAct) ?? "mallory signs up")
      const start = random.next() < 0.5
      const proof = random.pick(proofs) ?? "reset"
      const remains = await play(start, acts, proof)
      if (remains !== undefined) proven += 1
      expect({ start, acts, proof, left: remains ?? [] }).toEqual({ start, acts, proof, left: [] })
    }
    expect(proven).toBeGreaterThan(SEEDED_ROUNDS * 3)
  },
)

function sequencesOf(length: number): Act[][] {
  if (length === 0) return [[]]
  return [
    [],
    ...sequencesOf(length - 1).flatMap((rest) => everyAct.map((act) => [act].concat(rest))),
  ]
}

test(
  `only the owner keeps access after any sequence of up to ${LONGEST_SEQUENCE} acts`,
  { timeout: 120_000 * 20 ** (LONGEST_SEQUENCE - 1) },
  async () => {
    const findings: unknown[] = []
    for (const [turn, acts] of sequencesOf(LONGEST_SEQUENCE).entries()) {
      for (const [index, proof] of proofs.entries()) {
        for (const start of [true, false]) {
          if (LONGEST_SEQUENCE < 2 && (turn + index + Number(start)) % 2 === 0) continue
          const ways = await play(start, acts, proof)
          if (ways !== undefined && ways.length > 0) findings.push({ start, acts, proof, ways })
        }
      }
    }
    expect(findings).toEqual([])
  },
)

test.each(["mallory signs up", "verification is switched"] as const)(
  "after %s, a first sign-in with Google opens an account, whose address it does not verify",
  async (act) => {
    createNetwork(remotes)
    const { acts, createSomebody, email, enter, rowOf } = await contestAddress()
    await acts[act]()
    const owner = createSomebody("owner")
    await enter(owner, "google", { sub: `owner ${email}`, email, hd: undefined, name: "bob" })
    const session = await owner.visit((browser) => browser.get("/api/auth/get-session"))
    expect(await session.json()).toMatchObject({
      user: { email, emailVerified: false, name: "bob" },
    })
    expect(await rowOf()).toMatchObject({ name: "bob", email_verified: 0 })
    expect((await acts["mallory signs in"]()).status).toBe(401)
    // The next sign-in finds it again, even after the sweep.
    await sweep({ database: env.DB, records }, new Date(Date.now() + 30 * 24 * 60 * 60 * 1000))
    await enter(owner, "google", { sub: `owner ${email}`, email, hd: undefined })
    expect(await owner.userId()).toBe((await rowOf())?.id)
  },
)
