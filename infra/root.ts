import { dirname, join } from "node:path"

/** `infra/`: the ordinary CLI runs the program here, so paths in state are relative to it. */
export const infraDirectory = import.meta.dirname

/** The checkout. */
export const root = dirname(infraDirectory)

export const migrationsDirectory = join(root, "migrations")
