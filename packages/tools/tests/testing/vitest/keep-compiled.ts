import { flushCompileCache } from "node:module"

import { afterAll } from "vitest"

// Vitest kills its processes, and a process that is killed keeps nothing of what it has compiled.
afterAll(() => flushCompileCache())
