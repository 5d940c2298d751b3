import { join } from "node:path"

/** Directory of the checkout. */
export const root = join(import.meta.dirname, "..")

/** Pulumi's CLI runs the program in `infra/`, so paths in state are relative to it. */
export const infraDirectory = join(root, "infra")

export const migrationsDirectory = join(root, "migrations")
