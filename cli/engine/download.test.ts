import { mkdirSync } from "node:fs"
import { readFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { expect, test } from "vitest"

import { findEngine } from "./engine.ts"
import { engineVersion } from "./pinned-versions.ts"
import { whyUnreachable } from "./site-probe.ts"
import { createMachine, createSite } from "./testing/machine.ts"

/** Runs Pulumi's real installer with a fake download script. */
async function createInstaller(script: string) {
  const machine = createMachine()
  mkdirSync(machine.env.PATH)
  const site = await createSite((_, response) => response.writeHead(200).end())
  const answer = await machine.write(
    "answer.mjs",
    `globalThis.fetch = async (url) => {
  if (url !== "https://get.pulumi.com/install.sh") throw new Error("unexpected " + url)
  return new Response(${JSON.stringify(script)})
}
`,
  )
  const env = { ...machine.env, NODE_OPTIONS: `--import=${answer}` }
  return {
    ...machine,
    find: () => findEngine({ env, site: site.url, onProgress: machine.onProgress }),
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await machine[Symbol.asyncDispose]()
    },
  }
}

/** Arguments as the official script takes them: --no-edit-path --install-root ROOT --version VERSION. */
function install(says: string) {
  return `#!/bin/sh
[ "$1 $2 $4" = "--no-edit-path --install-root --version" ] || exit 9
/bin/mkdir -p "$3/bin"
printf '#!/bin/sh\\necho ${says}\\n' > "$3/bin/pulumi"
printf '#!/bin/sh\\n' > "$3/bin/pulumi-language-nodejs"
/bin/chmod +x "$3/bin/pulumi" "$3/bin/pulumi-language-nodejs"
`
}

test("the official download is kept with the language host it brings", async () => {
  await using machine = await createInstaller(install(`v${engineVersion}`))
  const engine = await machine.find()
  expect(engine).toMatchObject({ version: engineVersion, source: "download" })
  expect(await readdir(join(engine.root, "bin"))).toEqual(["pulumi", "pulumi-language-nodejs"])
  expect(JSON.parse(await readFile(join(engine.root, "engine.json"), "utf8"))).toMatchObject({
    source: "download",
  })
  expect(await machine.find()).toMatchObject({ command: engine.command, source: "cache" })
  expect(machine.events).toContainEqual({ phase: "downloading" })
})

test.each([
  ["fails", "echo 'curl: (22) 403' >&2; exit 1", "The download failed"],
  ["brings another version", install("v3.259.1"), "The result is Pulumi 3.259.1, not 3.259.0"],
])(
  "an installer that %s leaves nothing behind, and the next source is tried",
  async (_, script, reason) => {
    await using machine = await createInstaller(script)
    const search = machine.find()
    await expect(search).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE" })
    await expect(search).rejects.toThrow(reason)
    await expect(search).rejects.toThrow("There is no go on PATH")
    expect(await readdir(machine.cache)).toEqual([])
  },
)

test("a site that accepts the connection and never answers times out after 5 seconds", async () => {
  await using site = await createSite(() => {})
  // Both at once: a busy machine delays both.
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
