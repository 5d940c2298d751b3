import { randomUUID } from "node:crypto"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { openState } from "../state/state.ts"
import { ApiError } from "./envelope.ts"
import {
  insertVersion,
  listDeployableVersions,
  listVersions,
  requireDeployable,
} from "./version.ts"
import { defaultSettings, insertWorker, newWorker } from "./worker.ts"

test("the last 100 versions of a Worker can be deployed, and no earlier one", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "deployable-"))
  const state = openState(join(directory.path, "control.db"))
  const worker = newWorker("old", defaultSettings)
  insertWorker(state, worker)
  const ids = Array.from({ length: 101 }, () => randomUUID())
  for (const [index, id] of ids.entries()) {
    insertVersion(state, {
      id,
      worker_id: worker.id,
      number: index + 1,
      created_on: new Date(index).toISOString(),
      source: "api",
      main_module: "worker.js",
      modules: [],
      compatibility_date: "",
      compatibility_flags: [],
      bindings: [],
      annotations: {},
      startup_time_ms: 0,
      runtime: {},
    })
  }
  const [first = "", second = ""] = ids
  expect(listVersions(state, worker.id)).toHaveLength(101)
  expect(listDeployableVersions(state, worker.id).map(({ id }) => id)).toEqual(
    ids.slice(1).toReversed(),
  )
  expect(() => requireDeployable(state, worker, first)).toThrow(ApiError)
  expect(requireDeployable(state, worker, second)).toMatchObject({ number: 2 })
  state.close()
})
