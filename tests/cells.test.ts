import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { describeDay } from "../bench/cells/cells.ts"
import { createProtocol } from "../bench/cells/protocol.ts"
import { statements, type Cell } from "../bench/cells/statements.ts"
import type { Invariant } from "../bench/cells/testing/member.ts"
import { simulate, type Simulation } from "../bench/cells/testing/simulate.ts"

test.each([1, 2, 3])("seed %i: a day with moves and stalls breaks no promise", async (seed) => {
  const { violations, outcomes, attempts } = await simulate({ seed })
  expect(violations).toEqual(new Map())
  // All of it took place.
  expect(attempts.moved).toBeGreaterThan(100)
  expect(attempts.made - attempts.moved).toBeGreaterThan(50)
  for (const group of ["signing up", "calm", "hot", "failing", "moving", "every cell"]) {
    expect(outcomes.filter((one) => one.group === group).length).toBeGreaterThan(20)
  }
  expect(outcomes.some((one) => one.group === "failing" && !one.isAnswered)).toBe(true)
})

test("a seed gives the same day again", async () => {
  const day = async () => {
    const { outcomes, attempts } = await simulate({ seed: 1 })
    return { attempts, took: outcomes.map(({ took }) => took) }
  }
  expect(await day()).toEqual(await day())
})

test("docs/scale.md has the day of the first seed", async () => {
  const page = readFileSync(join(import.meta.dirname, "../docs/scale.md"), "utf8")
  expect(page, "npm run bench -- cells --write").toContain(await describeDay(1))
})

type Broken = Omit<Simulation, "seed"> & { breaks: Invariant }

/** Each rule of the protocol left out, and what breaks then. */
const broken: Record<string, Broken> = {
  "a move without a fence": {
    sql: { ...statements, fence: ({ residences }, address) => residences.get(address)?.rows },
    breaks: "no write lands in a cell that the member has left",
  },
  "a move without catching up": {
    sql: {
      ...statements,
      copyIn: (cell, address, claim, rows) =>
        cell.residences.get(address)?.fence === claim ||
        statements.copyIn(cell, address, claim, rows),
    },
    breaks: "no write is lost",
  },
  "a move that deletes before it switches": {
    sql: {
      ...statements,
      fence(cell, address, claim) {
        const rows = statements.fence(cell, address, claim)
        statements.clean(cell, address, claim)
        return rows
      },
    },
    breaks: "no sign-in is lost",
  },
  "a switch by a mover whose claim is over": {
    sql: {
      ...statements,
      switchTo(places, address, { cell, claim }) {
        const version = Math.max(places.get(address)?.version ?? 0, claim) + 1
        places.set(address, { cell, version })
        return true
      },
    },
    breaks: "no write is lost",
  },
  "a copy that replaces whatever is there": {
    sql: {
      ...statements,
      copyIn({ residences }, address, fence, rows) {
        residences.set(address, { fence, rows })
        return true
      },
    },
    breaks: "no write is lost",
  },
  "a cell that forgets whom it had": {
    sql: { ...statements, clean: ({ residences }, address) => void residences.delete(address) },
    breaks: "no sign-in is lost",
  },
  "a read that is believed behind the fence": {
    sql: {
      ...statements,
      serve(cell, address, version, action) {
        const reply = statements.serve(cell, address, version, action)
        return reply.answer === undefined ? reply : { ...reply, fencedAt: undefined }
      },
    },
    breaks: "a session that has ended stays ended",
  },
  "a cell that is asked before the write, not in it": {
    protocolOf: (world, sql) => ({
      ...createProtocol(world, sql),
      async visit(request) {
        const protocol = createProtocol(world, sql)
        if (request.kind === "read") return protocol.visit(request)
        const asked = await protocol.visit({
          ...request,
          kind: "read",
          action: () => ({ answer: true }),
        })
        const { place } = asked
        if (place === undefined) return { answer: undefined, place }
        const { cell } = place
        const apply = () => sql.serve(cell, request.address, Infinity, request.action)
        const reply = await cell.database.ask({ kind: "write", apply })
        return { answer: reply.answer, place }
      },
    }),
    breaks: "no write lands in a cell that the member has left",
  },
  "a directory that takes an address twice": {
    sql: {
      ...statements,
      reserve(places, address, cell) {
        const place = { cell, version: (places.get(address)?.version ?? 0) + 1 }
        places.set(address, place)
        return place
      },
    },
    breaks: "no address is taken twice",
  },
  "a directory that is written after the cell": {
    protocolOf: (world, sql) => ({
      ...createProtocol(world, sql),
      async signUp(address, rows) {
        const { directory } = world
        const cell = world.anyCell()
        const { answer } = await cell.database.ask({
          kind: "write",
          apply: () =>
            sql.serve<"taken" | "welcome">(cell, address, 1, (there) =>
              there === undefined ? { answer: "welcome", rows } : { answer: "taken" },
            ),
        })
        const place = await directory.database.ask({
          kind: "write",
          apply: () => sql.reserve(directory.places, address, cell),
        })
        return { answer, place }
      },
    }),
    breaks: "no address is taken twice",
  },
  "a member who is looked for in every cell": {
    protocolOf: (world, sql) => ({
      ...createProtocol(world, sql),
      async visit(request) {
        const has = ({ database, residences }: Cell) =>
          database.ask({ kind: "read", apply: () => residences.get(request.address)?.rows })
        const found = request.place === undefined ? await Promise.all(world.cells.map(has)) : []
        const place =
          found.length === 0 ? request.place : world.directory.places.get(request.address)
        return createProtocol(world, sql).visit({ ...request, place })
      },
    }),
    breaks: "a failing cell fails its own members only",
  },
  "a sweep that does not end the move first": {
    protocolOf: (world, sql) => ({
      ...createProtocol(world, sql),
      async sweep(cell) {
        const { database, places } = world.directory
        const apply = () => [...cell.residences]
        for (const [address, { fence }] of await cell.database.ask({ kind: "read", apply })) {
          const locate = () => sql.locate(places, address)
          const place = await database.ask({ kind: "read", apply: locate })
          if (place === undefined || place.cell === cell) continue
          const clean = () => sql.clean(cell, address, fence)
          await cell.database.ask({ kind: "write", apply: clean })
        }
      },
    }),
    breaks: "no sign-in is lost",
  },
}

test.each(Object.entries(broken))("%s is caught", async (_, { breaks, ...variant }) => {
  const found = new Set<Invariant>()
  for (let seed = 1; seed <= 10 && !found.has(breaks); seed += 1) {
    const { violations } = await simulate({ ...variant, seed })
    for (const invariant of violations.keys()) found.add(invariant)
  }
  expect([...found]).toContain(breaks)
})
