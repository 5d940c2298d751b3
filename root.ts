import { join } from "node:path"

/** The checkout. */
export const root = import.meta.dirname

/** `infra/`: the ordinary CLI runs the program here, so paths in state are relative to it. */
export const infraDirectory = join(root, "infra")

export const migrationsDirectory = join(root, "migrations")
