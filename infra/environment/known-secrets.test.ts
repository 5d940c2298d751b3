import { join } from "node:path"

import { expect, test } from "vitest"

import { expectNoLeak } from "../../tests/testing/secrets/secret-forms.ts"
import { openSecrets } from "./known-secrets.ts"
import { readDeployed } from "./read-deployed.ts"
import { readConfiguration } from "./stack-file.ts"
import { listEnvironments } from "./subject.ts"
import { createEnvironments, set } from "./testing/environments-folder.ts"

/** As Pulumi 3.259 sealed it with `pulumi config set --secret`. */
const passphrase = "the passphrase of the tests"
const salt = "v1:gVe6xLhm3Ns=:v1:6acX1FFxGifMMQHB:DASFhSQ8PpWoeoUZscxmNb802kQfsQ=="
const sealed =
  "v1:SEAOu/2t6q21H5e/:JpysRY8beI8Nd7RamdtQ5roP+HnHx45rUxcqn9/ptELJpHS9JwRWenn5GyDXhuP9ok9gccFPzKJ2x26mTBXZ"
const value = "a-secret-that-two-environments-share-0123456789"

/** Production, whose `AUTH_SECRET` the engine has opened, beside staging with that seal. */
function createSharing({ change = (text: string) => text, own = value, template = false } = {}) {
  const folder = createEnvironments()
  const staging = template ? "preview.yaml" : "Pulumi.staging.yaml"
  folder.edit(
    (text) => text.replace(/^(?:encryptionsalt: .*\n)?/, `encryptionsalt: ${salt}\n`),
    staging,
  )
  folder.edit(set(["secrets", "AUTH_SECRET"], { secure: sealed }), staging)
  folder.edit(change, staging)
  const files = () => listEnvironments(folder.directory, "environments")
  const path = join(folder.directory, "Pulumi.production.yaml")
  const configuration = {
    ...readConfiguration(path, path),
    "accounts:secrets": JSON.stringify({ AUTH_SECRET: own }),
  }
  return {
    files,
    deploy: (env: NodeJS.ProcessEnv) => readDeployed("production", configuration, { files, env }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

const known = { PULUMI_CONFIG_PASSPHRASE: passphrase }

test.each([false, true])(
  "the value of another environment is refused at `up`, whoever reads it (a template: %s)",
  async (template) => {
    using folder = createSharing({ template })
    const message = await folder.deploy(known).then(
      () => "",
      (error: unknown) => String(error),
    )
    const label = template ? "preview.yaml" : "Pulumi.staging.yaml"
    expect(message).toMatch(
      /Pulumi\.production\.yaml:\d+:\d+ accounts:secrets\.AUTH_SECRET has the/,
    )
    expect(message).toContain(`has the value of AUTH_SECRET in environments/${label} [R41]`)
    expect(message).toContain("./accounts secret generate AUTH_SECRET -s production --replace")
    expectNoLeak(message, { value, passphrase })
  },
)

test("another value passes, and nothing is left out of the comparison", async () => {
  using folder = createSharing({ own: "another-secret-0123456789abcdefghijklmnopqrstuv" })
  const { environment, closed } = await folder.deploy(known)
  expect(environment.environment).toBe("production")
  // The folder's own seal of production is made up, and production itself is not compared.
  expect(closed).toEqual([])
  const { opened } = await openSecrets(
    folder.files().filter(({ stack }) => stack === "staging"),
    known,
  )
  expect([...opened]).toEqual([["environments/Pulumi.staging.yaml", { AUTH_SECRET: value }]])
})

test.each<[string, NodeJS.ProcessEnv, (text: string) => string, RegExp]>([
  ["no passphrase", {}, (text) => text, /PULUMI_CONFIG_PASSPHRASE is not set/],
  [
    "another passphrase",
    { PULUMI_CONFIG_PASSPHRASE: `${passphrase}!` },
    (text) => text,
    /it has another passphrase/,
  ],
  [
    "a file that is not there",
    { PULUMI_CONFIG_PASSPHRASE_FILE: "/nowhere/at/all" },
    (text) => text,
    /PULUMI_CONFIG_PASSPHRASE is not set/,
  ],
  [
    "a seal of another key",
    known,
    set(["secrets", "AUTH_SECRET"], { secure: "v1:SEAOu/2t6q21H5e/:JpysRY8beI8Nd7RamdtQ5roP" }),
    /AUTH_SECRET was sealed with another key/,
  ],
  [
    "a key service",
    known,
    (text) => text.replace(/encryptionsalt: .*/, "secretsprovider: awskms://alias/a?region=eu"),
    /sealed by awskms:\/\/alias\/a, which \.\/accounts plan/,
  ],
  [
    "the backend",
    known,
    (text) => text.replace(/encryptionsalt: .*\n/, ""),
    /sealed by the backend, which \.\/accounts plan/,
  ],
])("with %s, staging is named as not compared", async (_title, env, change, why) => {
  using folder = createSharing({ change })
  const { closed } = await folder.deploy(env)
  expect(closed).toEqual([
    { label: "environments/Pulumi.staging.yaml", why: expect.stringMatching(why) },
  ])
})
