import * as z from "zod"

import { Failure } from "../failure.ts"
import { readDeclaredOnly } from "./protocol/declared-only.ts"
import type { Properties, Resource } from "./protocol/resource.ts"

const Inputs = z.strictObject({
  accountId: z.string(),
  name: z.string(),
  jurisdiction: z.string().optional(),
  /** Where it was created; Cloudflare does not tell it afterwards. */
  location: z.string().optional(),
})
type Inputs = z.infer<typeof Inputs>

/**
 * What a database cannot change without being replaced by an empty one. The database takes its name
 * from here, so that a change is refused in words before Cloudflare's provider plans a replacement.
 */
export const databaseIdentity: Resource = {
  inputs: Inputs,
  diff({ olds, inputs }) {
    const [from, to] = [Inputs.parse(olds), Inputs.parse(inputs)]
    const changes = (["accountId", "name", "jurisdiction", "location"] as const)
      .filter((key) => from[key] !== to[key])
      // Without the hint a database stays where it is, whatever state says.
      .filter((key) => key !== "location" || to.location !== undefined)
    if (changes.length === 0) return {}
    const lines = changes.map(
      (key) => `  accounts:${key} was ${from[key] ?? "not set"} and is ${to[key] ?? "not set"}`,
    )
    throw new Failure(
      "ENVIRONMENT_INVALID",
      `the database ${from.name} would be replaced by an empty one:\n${lines.join("\n")}\n` +
        "Put the former values back in the stack file; accounts:location may also be left out. " +
        "For a database with other values, bring up another stack and move the data there.",
      {
        facts: { problems: changes.map((key) => ({ key: `accounts:${key}`, message: "changed" })) },
      },
    )
  },
  async preview({ inputs }) {
    return inputs
  },
  async create({ inputs }) {
    const parsed = Inputs.parse(inputs)
    return { id: parsed.name, outputs: parsed }
  },
  async update({ inputs }): Promise<Properties> {
    return inputs
  },
  read: async (state) => readDeclaredOnly(state),
}
