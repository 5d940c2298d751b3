import { expect, test } from "vitest"

import { listEnvironments } from "../../infra/environment/subject.ts"
import { createEnvironments } from "../../infra/environment/testing/environments-folder.ts"
import { expectOwnSecrets } from "./compare-secrets.ts"

const noEngine = "/nowhere/pulumi"

function sealedBy(provider: string | undefined) {
  const line = provider === undefined ? "" : `secretsprovider: ${provider}\n`
  return (text: string) => text.replace(/^encryptionsalt: .*\n/, line)
}

test.each<[string, string | undefined, string | undefined]>([
  ["of two keys", "awskms://alias/staging", "awskms://alias/production"],
  ["of a key and the backend", "awskms://alias/staging", undefined],
])("secrets %s are compared by nobody, and no engine is started", async (_title, one, other) => {
  using folder = createEnvironments()
  folder.edit(sealedBy(one), "Pulumi.staging.yaml")
  folder.edit(sealedBy(other))
  const files = listEnvironments(folder.directory, "environments")
  for (const stack of ["staging", "production", "local", "preview-a", "nowhere"]) {
    await expect(expectOwnSecrets(stack, { engine: noEngine, files })).resolves.toBe(undefined)
  }
})

test.each(["awskms://alias/all", undefined])(
  "secrets of one key or one backend (%s) are opened by the engine",
  async (provider) => {
    using folder = createEnvironments()
    folder.edit(sealedBy(provider), "Pulumi.staging.yaml")
    folder.edit(sealedBy(provider))
    const files = listEnvironments(folder.directory, "environments")
    await expect(expectOwnSecrets("staging", { engine: noEngine, files })).rejects.toThrow(noEngine)
    await expect(expectOwnSecrets("local", { engine: noEngine, files })).resolves.toBe(undefined)
  },
)

test("what a passphrase sealed is left to the program", async () => {
  using folder = createEnvironments()
  const files = listEnvironments(folder.directory, "environments")
  await expect(expectOwnSecrets("staging", { engine: noEngine, files })).resolves.toBe(undefined)
})
