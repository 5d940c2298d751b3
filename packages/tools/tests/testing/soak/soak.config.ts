import { availableParallelism } from "node:os"
import { join } from "node:path"

import { configDefaults, defineConfig } from "vitest/config"

import app from "../../../../../app/vitest.config.ts"
import root from "../../../../../vitest.config.ts"
import { root as checkout } from "../../../base/root.ts"
import { longerRuns } from "./longer-runs.ts"

const { projects = [], ...rootTest } = root.test ?? {}

const long: Record<string, string> = {
  node: "packages/**/*.long.test.ts",
  deploy: "packages/tools/tests/**/*.long.deploy.test.ts",
}

const exclude = [...configDefaults.exclude, ...longerRuns.map(({ file }) => file)]

/** The tests that `npm test` leaves out, each as in its own project. */
const longProjects = projects.flatMap((project) => {
  if (typeof project !== "object" || !("test" in project)) return []
  const name = project.test?.name
  const include = typeof name === "string" ? long[name] : undefined
  return include === undefined ? [] : [{ test: { ...project.test, include: [include], exclude } }]
})

export default defineConfig({
  test: {
    ...rootTest,
    projects: [
      ...longProjects,
      {
        ...app,
        root: join(checkout, "app"),
        test: { ...app.test, include: ["**/*.long.workers.test.ts"], exclude },
      },
      {
        test: {
          name: "soak",
          include: ["{app,packages/*}/**/*.soak.test.ts"],
          testTimeout: 3_600_000,
          hookTimeout: 900_000,
          expect: { poll: { timeout: 30_000 } },
          globalSetup: [
            "packages/tools/tests/testing/vitest/temporary-folder.setup.ts",
            "packages/tools/tests/testing/vitest/compile-cache.setup.ts",
          ],
          maxWorkers: availableParallelism(),
          // After the others: it is under load that it makes itself.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
