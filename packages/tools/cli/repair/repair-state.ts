import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import type { Api } from "../../deploy/api.ts"
import { physicalName } from "../../environment/environment.ts"
import { paint, say } from "../output.ts"
import { exportState, type Site, type StoredState } from "../stack/stored-state.ts"
import { doubtAbout } from "./doubt.ts"
import { findNamesakes, type Namesake, readSubject, type Subject } from "./namesakes.ts"
import { takeIn, type Taken } from "./take-in.ts"

type Wish = {
  /** The command that takes over what this one does not. */
  adopt: string
  /** Directory of all local state. */
  state: string
}

export type AccountSite = Site & { api: Api }

/**
 * Takes in what a run made that failed or was killed before it could write that down, and clears every
 * other creation that it left pending: the next `up` repeats it.
 * @throws Failure, with nothing changed, when what a killed run was creating may be somebody else's
 */
export async function repairState(site: AccountSite, { adopt, state }: Wish): Promise<Taken> {
  const before = await exportState(site)
  const { missing, found } = await findMissing(site, before)
  const doubtful = await doubtsAbout(missing, { site, before })
  const { pending_operations: pending } = before.deployment
  // An import that was killed says nothing of who made it.
  const creations = pending.filter(({ type }) => type === "creating")
  const begun = new Set(creations.map(({ resource }) => resource.type))
  const text = doubtful.map(({ namesake, doubt }) => `  ${namesake.label}: ${doubt}`).join("\n")
  if (doubtful.some(({ namesake: { declared } }) => begun.has(declared?.type ?? ""))) {
    throw new Failure(
      "COMMAND_FAILED",
      `A run of the stack ${site.project.stack} was interrupted while it created what exists now, but perhaps by somebody else:\n${text}\n` +
        `If it is the stack's own, take it over: ${adopt}\n` +
        `If it is not, set accounts:name in the stack file to a name that is free, and repair the stack then.`,
    )
  }
  if (doubtful.length > 0) {
    say(`Left alone, since it may be somebody else's:\n${text}\nTo take it over: ${adopt}`)
  }
  sayRenamed(before, readSubject(site.project))
  const own = missing.filter((one) => !doubtful.some(({ namesake }) => namesake === one))
  const taken = await takeIn(site, { missing: own, found, state, before })
  for (const { label } of own) {
    say(`${paint.green("✓")} adopted ${label}, which a run had created without writing it down`)
  }
  return taken
}

/** The next `up` creates under the new name, and what has the former one is nobody's any more. */
function sayRenamed({ deployment }: StoredState, { stack, environment }: Subject): void {
  const name = physicalName(stack, environment)
  for (const { resource } of deployment.pending_operations) {
    const { data: former } = z.string().safeParse(resource.inputs?.["name"])
    if (former === undefined || former === name || !/D1Database|:Worker$/.test(resource.type)) {
      continue
    }
    say(`left alone: ${former}, if it was made, since accounts:name is ${name} now`)
  }
}

/** What the account has under the stack's names, and what of it is the stack's but not in its state. */
export async function findMissing(
  { project, api }: Pick<AccountSite, "project" | "api">,
  before: StoredState,
): Promise<{ found: Namesake[]; missing: Namesake[] }> {
  const { resources } = before.deployment
  const found = await findNamesakes(readSubject(project), { api, allRoutes: false })
  // A database or a Worker in state has its place, whatever else has the name.
  const has = ({ kind, id, declared }: Namesake) =>
    resources.some(
      ({ type, id: known }) =>
        type === declared?.type && (known === id || kind === "database" || kind === "Worker"),
    )
  const own = ({ declared, leadsTo }: Namesake) => declared !== undefined && leadsTo === undefined
  return { found, missing: found.filter((one) => own(one) && !has(one)) }
}

export async function doubtsAbout(
  missing: Namesake[],
  { site: { project, api }, before }: { site: AccountSite; before: StoredState },
): Promise<{ namesake: Namesake; doubt: string }[]> {
  const { accountId } = readSubject(project).environment
  const savedAt = before.deployment.manifest?.time
  const doubts = await Promise.all(
    missing.map(async (namesake) => ({
      namesake,
      doubt: await doubtAbout(namesake, { api, accountId, savedAt }),
    })),
  )
  const foreign = doubts.find(({ namesake, doubt }) => namesake.kind === "Worker" && doubt)
  return doubts.flatMap(({ namesake, doubt }) => {
    if (doubt !== undefined) return [{ namesake, doubt }]
    const leads = namesake.kind === "host" || namesake.kind === "route"
    return leads && foreign ? [{ namesake, doubt: "it leads to that Worker" }] : []
  })
}
