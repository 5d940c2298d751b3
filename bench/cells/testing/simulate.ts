import { seededRandom } from "@accounts/local/seeded-random"

import { createDatabase, Unanswered, type Database } from "../database.ts"
import { createProtocol, type World } from "../protocol.ts"
import { statements, type Cell, type Place } from "../statements.ts"
import { createClock } from "./clock.ts"
import { Member, type Invariant, type Observer, type Outcome } from "./member.ts"

export type Simulation = {
  seed: number
  /** Whether members move away from the busiest cell. */
  moves?: boolean
  sql?: typeof statements
  protocolOf?: typeof createProtocol
}

export type Group = "every cell" | "signing up" | "calm" | "hot" | "failing" | "moving"

const [cellCount, addressCount] = [8, 400]
/** Milliseconds; how many times as busy the members of the hot cell are; shares. */
const [day, night] = [60_000, 60_000]
const hot = { from: 15_000, until: 40_000, factor: 60 }
const [rivals, deadMovers] = [0.1, 0.03]

/** A day of the service in a minute, with all that may happen to it. */
export async function simulate(simulation: Simulation) {
  const { seed, moves = true, sql = statements, protocolOf = createProtocol } = simulation
  const [clock, random] = [createClock(), seededRandom(seed)]
  const cells = Array.from({ length: cellCount }, (): Cell => ({
    database: createDatabase({ clock, random }),
    residences: new Map(),
  }))
  const places = new Map<string, Place>()
  const directory = { database: createDatabase({ clock, random }), places }
  const draw = (least: number, most: number) => least + random() * (most - least)
  const anyCell = () => {
    const cell = cells[Math.floor(draw(0, cells.length))]
    if (cell === undefined) throw new Error("there is no cell")
    return cell
  }
  const hotCell = anyCell()
  const world: World = { clock, random, cells, directory, anyCell }

  const violations = new Map<Invariant, string[]>()
  const violated = (invariant: Invariant, about: string) =>
    violations.set(invariant, [...(violations.get(invariant) ?? []), about])
  const outcomes: { group: Group; isAnswered: boolean; took: number }[] = []
  const observer: Observer = {
    violated,
    requested: (outcome) => outcomes.push({ ...outcome, group: groupOf(outcome) }),
  }
  const attempts = { made: 0, moved: 0 }

  function groupOf({ began, before, after }: Outcome): Group {
    if (before === undefined) return "signing up"
    if (before.cell.database.hasSuffered(began)) return "failing"
    if (before.version !== after?.version) return "moving"
    return before.cell === hotCell && isHot() ? "hot" : "calm"
  }
  const isHot = () => hot.from < clock.now() && clock.now() < hot.until

  const watched: typeof statements = {
    ...sql,
    serve(cell, address, version, action) {
      const before = cell.residences.get(address)?.rows
      const reply = sql.serve(cell, address, version, action)
      const hasWritten = cell.residences.get(address)?.rows !== before
      if (hasWritten && places.get(address)?.cell !== cell) {
        violated("no write lands in a cell that the member has left", address)
      }
      return reply
    },
  }
  const protocol = protocolOf(world, watched)

  /** Somebody is killed, or not answered, and nobody cares. */
  const unattended = async (action: () => Promise<unknown>) => {
    try {
      return await action()
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      return undefined
    }
  }

  async function live(member: Member, arrival: number) {
    await clock.sleep(arrival)
    await member.join()
    const isBusy = () => isHot() && places.get(member.address)?.cell === hotCell
    while (member.isKnown && clock.now() < day) {
      await member.act()
      await clock.sleep(draw(0, 3000) / (isBusy() ? hot.factor : 1))
    }
  }

  async function move(address: string, to: Cell) {
    attempts.made += 1
    const hasMoved = await unattended(() => protocol.move(address, to, deadMovers))
    if (hasMoved === true) attempts.moved += 1
  }

  /** Each second some of the busiest cell's members go to the calmest, and others anywhere. */
  async function balance() {
    const busy = new Map<Cell, number>()
    while (clock.now() < day) {
      const load = new Map(
        cells.map((cell) => [cell, cell.database.busy() - (busy.get(cell) ?? 0)]),
      )
      for (const cell of cells) busy.set(cell, cell.database.busy())
      const order = cells.toSorted((one, other) => (load.get(one) ?? 0) - (load.get(other) ?? 0))
      const busiest = [...places].filter(([, { cell }]) => cell === order.at(-1))
      const leaving = busiest.filter(() => random() < 5 / busiest.length)
      for (const [address] of leaving) void move(address, order[0] ?? anyCell())
      for (const address of [...places.keys()].filter(() => random() < 0.02)) {
        const to = anyCell()
        void move(address, to)
        // A second mover that does not know of the first.
        if (random() < 0.5) void move(address, random() < 0.5 ? to : anyCell())
      }
      await clock.sleep(1000)
    }
  }

  /** One that is not answered leaves the rest to the next. */
  async function sweepAll() {
    while (clock.now() < day + night) {
      for (const cell of cells) void unattended(() => protocol.sweep(cell))
      await clock.sleep(7000)
    }
  }

  /** As an admin's list of all members does. */
  async function askEveryCell() {
    while (clock.now() < day) {
      const began = clock.now()
      const ask = ({ database }: Cell) => database.ask({ kind: "read", apply: () => true })
      const answers = await unattended(() => Promise.all(cells.map(ask)))
      const isAnswered = answers !== undefined
      outcomes.push({ group: "every cell", isAnswered, took: clock.now() - began })
      await clock.sleep(500)
    }
  }

  function stall({ database }: { database: Database }, most: number) {
    const from = draw(5000, day - 20_000)
    database.stalls.push({ from, until: from + draw(500, most) })
  }

  const members = Array.from({ length: addressCount }, (_, index) => {
    const [address, arrival] = [`member-${index}`, draw(0, day / 2)]
    const by = { world, protocol, observer }
    const one = new Member(address, `${address}-a`, by)
    void live(one, arrival)
    if (random() > rivals) return [one]
    const other = new Member(address, `${address}-b`, by)
    void live(other, arrival + draw(0, 30))
    return [one, other]
  })
  stall(anyCell(), 20_000)
  for (const cell of cells) stall(cell, 7000)
  stall(directory, 3000)
  void askEveryCell()
  void sweepAll()
  if (moves) void balance()

  await clock.runUntil(day + 2 * night)

  for (const both of members) {
    const owners = both.filter(({ isKnown }) => isKnown)
    const address = both[0]?.address ?? ""
    const holders = cells.filter((cell) => cell.residences.get(address)?.rows)
    if (owners.length > 1) violated("no address is taken twice", address)
    if (holders.length > 1) violated("a move leaves nothing behind", address)
    const home = places.get(address)?.cell
    const rows = home?.residences.get(address)?.rows
    for (const { entries } of owners) {
      if (rows === undefined) violated("no sign-in is lost", address)
      const isThere = (entry: string) => rows?.entries.includes(entry) === true
      if (!entries.every(isThere)) violated("no write is lost", address)
    }
  }
  return { violations, outcomes, attempts }
}
