import { availableParallelism } from "node:os"

/**
 * How many test files run at once, in every project: vitest runs projects side by side only if they
 * agree. Tests wait for processes to start, so two workers more than cores keep the cores busy.
 */
export const maxWorkers = availableParallelism() + 2
