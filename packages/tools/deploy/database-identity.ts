import * as z from "zod"

import { Failure, isFailure, messageOf } from "../base/failure.ts"
import type { Api } from "./api.ts"
import { type Context, type Properties, type Resource, readDeclaredOnly } from "./resource.ts"

const Inputs = z.strictObject({
  accountId: z.string(),
  name: z.string(),
  jurisdiction: z.string().optional(),
  /** Where the database was created. Cloudflare does not return it. */
  location: z.string().optional(),
})
export type Inputs = z.infer<typeof Inputs>

const Databases = z.array(z.object({ name: z.string(), jurisdiction: z.string().nullish() }))

/** Databases per page: Cloudflare's limit. */
const pageSize = 10_000

/**
 * Properties of a database whose change would replace it with an empty database. The database uses `name` of
 * this resource, so that a change is refused with a message before Cloudflare's provider plans a replacement.
 */
export const databaseIdentity: Resource = {
  inputs: Inputs,
  diff({ olds, inputs }) {
    const [from, to] = [Inputs.parse(olds), Inputs.parse(inputs)]
    const changes = (["accountId", "name", "jurisdiction", "location"] as const)
      .filter((key) => from[key] !== to[key])
      // A database stays where it is if the stack file has no location.
      .filter((key) => key !== "location" || to.location !== undefined)
    if (changes.length === 0) return {}
    const lines = changes.map(
      (key) => `  accounts:${key} was ${from[key] ?? "not set"} and is ${to[key] ?? "not set"}`,
    )
    throw new Failure(
      "COMMAND_FAILED",
      `the database ${from.name} would be replaced by an empty one:\n${lines.join("\n")}\n` +
        "Put the former values back in the stack file; accounts:location may also be left out. " +
        "For a database with other values, bring up another stack and move the data there. " +
        "Data of this machine alone may go: `./accounts destroy -s local`. " +
        "If the database was never made, because its creation was refused, run `./accounts repair` first.",
    )
  },
  async preview({ inputs, olds }, context) {
    const database = Inputs.safeParse(inputs).data
    if (database && !olds) await expectJurisdiction(database, context)
    return inputs
  },
  async create({ inputs }, context) {
    const parsed = Inputs.parse(inputs)
    await expectJurisdiction(parsed, context)
    return { id: parsed.name, outputs: parsed }
  },
  async update({ inputs }): Promise<Properties> {
    return inputs
  },
  read: async (state) => readDeclaredOnly(state),
}

/**
 * Checks the jurisdiction of a database that already exists, such as an imported database. If it differs from
 * the stack file, Cloudflare's provider would plan to replace the database.
 */
async function expectJurisdiction(inputs: Inputs, { api, log }: Context): Promise<void> {
  const existing = await find(inputs, api()).catch((error: unknown) => {
    if (!isFailure(error, "API_FAILED")) throw error
    log.warn(`not checked: the jurisdiction of the database ${inputs.name} (${messageOf(error)})`)
    return undefined
  })
  const jurisdiction = existing?.jurisdiction
  // An older API does not return the jurisdiction.
  if (jurisdiction === undefined || (jurisdiction ?? undefined) === inputs.jurisdiction) return
  const message =
    `the database ${inputs.name} exists, and its jurisdiction is ${jurisdiction ?? "none"}, which cannot change: ` +
    (jurisdiction === null
      ? "remove accounts:jurisdiction. "
      : `set accounts:jurisdiction: ${jurisdiction}. `) +
    "If it is not the stack's own, set another accounts:name."
  throw new Failure("COMMAND_FAILED", message)
}

async function find({ accountId, name }: Inputs, api: Api) {
  // Cloudflare may return other databases whose name contains this name.
  const query = `name=${encodeURIComponent(name)}&per_page=${pageSize}`
  const path = `/accounts/${encodeURIComponent(accountId)}/d1/database?${query}`
  return (await api.get(path, Databases)).find((database) => database.name === name)
}
