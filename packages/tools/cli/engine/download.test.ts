import { execFileSync } from "node:child_process"
import { hash } from "node:crypto"
import { mkdirSync, readFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { expect, test } from "vitest"

import { checksumsOf, engineArchive, whyUnreachable } from "./download.ts"
import { engineVersion } from "./engine-environment.ts"
import { findEngine } from "./engine.ts"
import { createMachine, createSite } from "./testing/machine.ts"

/** A release with an archive as Pulumi's, whose `pulumi` says a version. */
async function createRelease(says: string, sha256?: string) {
  const machine = createMachine()
  mkdirSync(machine.env.PATH)
  const print = `#!/bin/sh\necho ${says}\n`
  await machine.write("release/pulumi/pulumi", print, 0o755)
  await machine.write("release/pulumi/pulumi-language-nodejs", "#!/bin/sh\n", 0o755)
  const file = join(machine.directory, "pulumi.tar.gz")
  execFileSync("tar", ["-czf", file, "-C", join(machine.directory, "release"), "pulumi"])
  const content = readFileSync(file)
  const site = await createSite(({ url }, response) =>
    response.writeHead(url === "/pulumi.tar.gz" || url === "/" ? 200 : 404).end(content),
  )
  const archive = { name: "pulumi.tar.gz", sha256: sha256 ?? hash("sha256", content) }
  const { env, onProgress } = machine
  return {
    ...machine,
    find: (name = archive.name) =>
      findEngine({ env, site: site.url, archive: { ...archive, name }, onProgress }),
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await machine[Symbol.asyncDispose]()
    },
  }
}

test("the official download is kept with the language host it brings", async () => {
  await using machine = await createRelease(`v${engineVersion}`)
  const engine = await machine.find()
  expect(engine).toMatchObject({ version: engineVersion, source: "download" })
  expect(await readdir(dirname(engine.command))).toEqual(["pulumi", "pulumi-language-nodejs"])
  expect(await machine.find()).toMatchObject({ command: engine.command, source: "cache" })
  expect(machine.events).toContain(`Downloading the Pulumi engine ${engineVersion}`)
})

test.each([
  ["is missing", "v3.259.0", undefined, "gone.tar.gz", "answers 404"],
  ["is another version", "v3.259.1", undefined, undefined, "is Pulumi 3.259.1, not 3.259.0"],
  // It is not even unpacked.
  ["is another file", "v3.259.0", "0".repeat(64), undefined, /has the SHA-256 \w{64}, not 0{64}/],
])(
  "an archive that %s leaves nothing behind, and the next source is tried",
  async (_, says, sha256, name, reason) => {
    await using machine = await createRelease(says, sha256)
    const search = machine.find(name)
    await expect(search).rejects.toThrow("No Pulumi engine is available")
    await expect(search).rejects.toThrow(reason)
    await expect(search).rejects.toThrow("There is no go on PATH")
    expect(await readdir(machine.cache)).toEqual([])
  },
)

test("no engine is downloaded for a machine without a pinned checksum", () => {
  expect(engineArchive("linux-riscv64")).toBeUndefined()
  expect(checksumsOf).toBe(engineVersion)
  for (const machine of ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"]) {
    expect(engineArchive(machine)?.sha256).toMatch(/^[0-9a-f]{64}$/)
  }
})

test("a site that accepts the connection and never answers times out after 5 seconds", async () => {
  await using site = await createSite(() => {})
  // They run together: a busy machine delays both.
  const later = sleep(7_000, "nothing after 7 seconds", { ref: false })
  expect(await Promise.race([whyUnreachable(site.url), later])).toBe(
    `${site.url.host} does not answer within 5 seconds`,
  )
})

test("an interrupt does not wait for the probe", async () => {
  await using site = await createSite(() => {})
  const reason = new Error("enough")
  const probe = whyUnreachable(site.url, AbortSignal.abort(reason))
  await expect(probe).rejects.toBe(reason)
})
