import * as z from "zod"

import { Failure } from "../base/failure.ts"
import { project } from "./project/own-project.ts"
import { permanent, stackKeys } from "./stack-keys.ts"

const keys = stackKeys({ ...project.schemas, ...project.cookies })

const reservedKey = Object.keys(project.keys).find((key) => key in keys)
if (reservedKey !== undefined) {
  throw new Failure(
    "COMMAND_FAILED",
    `infra/project.ts: keys.${reservedKey} is a key of the tools' own`,
  )
}

/** Typed as an object, because only the project itself reads its own keys. */
const ownKeys: object = project.keys

/** The `accounts:` keys of a stack file. Any other key fails the preview. */
export const Environment = z.strictObject({ ...keys, ...ownKeys })

export type Environment = z.infer<typeof Environment>

/** Returns the name of the Worker and of the database. */
export function physicalName(
  stack: string,
  { name = `accounts-${stack}` }: { name?: string | undefined },
): string {
  return name
}

/** Replaces the short name of a branch when a preview template is read. */
export const templateBranch = "a-branch"

/** Returns which resources Pulumi refuses to delete. */
export function protection(environment: Environment) {
  const { protect = permanent(environment) } = environment
  const {
    protectDatabase = protect,
    protectWorker = protect,
    protectHostname = protect,
  } = environment
  return { database: protectDatabase, worker: protectWorker, hostname: protectHostname }
}
