import { join } from "node:path"

import { expect, test } from "vitest"

import { readDeployed, readConfiguration } from "./read.ts"
import { listEnvironments } from "./subject.ts"
import { createEnvironments, set } from "./testing/environments-folder.ts"

const sealed =
  "v1:SEAOu/2t6q21H5e/:JpysRY8beI8Nd7RamdtQ5roP+HnHx45rUxcqn9/ptELJpHS9JwRWenn5GyDXhuP9ok9gccFP"
const value = "a-secret-that-two-environments-share-0123456789"

/** Production, whose `AUTH_SECRET` the engine has opened, beside staging with its own seals. */
function createBeside(staging: string, secret: unknown) {
  const folder = createEnvironments()
  folder.edit(set(["secrets", "AUTH_SECRET"], secret), staging)
  const files = () => listEnvironments(folder.directory, "environments")
  const path = join(folder.directory, "Pulumi.production.yaml")
  const opened = { "accounts:secrets": JSON.stringify({ AUTH_SECRET: value }) }
  const configuration = { ...readConfiguration(path, path), ...opened }
  return {
    deploy: () => readDeployed("production", configuration, files),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

test.each(["Pulumi.staging.yaml", "preview.yaml"])(
  "%s, which has sealed secrets, is named as not compared",
  (staging) => {
    using folder = createBeside(staging, { secure: sealed })
    expect(folder.deploy().sealedElsewhere).toContain(`environments/${staging}`)
  },
)

test("the value of another environment that lies in clear is refused at `up`", () => {
  using folder = createBeside("Pulumi.staging.yaml", value)
  expect(() => folder.deploy()).toThrow(
    /AUTH_SECRET has the value of AUTH_SECRET in environments\/Pulumi\.staging\.yaml \[R41\]/,
  )
})
