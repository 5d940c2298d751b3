import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs"
import { readFile, readlink, rm, stat } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"

import { providerVersion } from "./engine-environment.ts"
import { preparePulumiHome } from "./pulumi-home.ts"
import { createMachine, createSite } from "./testing/machine.ts"

const folder = `resource-cloudflare-v${providerVersion}`
const plugin = join("plugins", folder, "pulumi-resource-cloudflare")
const local = "http://127.0.0.1:8790/client/v4"
const real = "https://api.cloudflare.com/client/v4"

/** A machine with a checkout and an engine that downloads nothing. `online` answers the probe. */
async function createCheckout({ online = false } = {}) {
  const machine = createMachine()
  const site = await createSite((_, response) => response.writeHead(online ? 200 : 404).end())
  const engine = await machine.script("pulumi", "echo not asked for >&2; exit 1")
  const { directory, env, onProgress } = machine
  const root = join(directory, "state", "pulumi")
  const prepare = (options: {
    choice?: string
    baseUrl?: string
    repository?: string
    env?: object
  }) =>
    preparePulumiHome({
      root,
      choice: options.choice,
      baseUrl: options.baseUrl ?? local,
      engine,
      env: { ...env, ...options.env },
      repository: options.repository ?? join(directory, "check'out"),
      site: site.url,
      onProgress,
    })
  return {
    ...machine,
    root,
    prepare,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await machine[Symbol.asyncDispose]()
    },
  }
}

async function standInIn(machine: Awaited<ReturnType<typeof createCheckout>>, checkout: string) {
  await machine.write(`${checkout}/node_modules/.bin/node`, '#!/bin/sh\necho node "$@"\n', 0o755)
  return join(machine.directory, checkout)
}

test("offline, a local stack gets the stand-in: a plugin that starts the checkout's provider", async () => {
  await using machine = await createCheckout()
  const repository = await standInIn(machine, "check'out $HOME")
  const { home, provider, reason } = await machine.prepare({ repository })
  expect({ home, provider }).toEqual({ home: join(machine.root, "stand-in"), provider: "stand-in" })
  expect(reason).toContain("answers 404")
  const { stdout } = spawnSync(join(home, plugin), ["-logtostderr", "127.0.0.1:1"], {
    encoding: "utf8",
  })
  expect(stdout).toBe(
    `node ${repository}/packages/local/provider/main.js -logtostderr 127.0.0.1:1\n`,
  )
  expect(readdirSync(join(home, "plugins"))).toEqual([folder])
})

test("the directory of a file backend exists and only its owner can read it", async () => {
  await using machine = await createCheckout()
  const { home } = await machine.prepare({})
  for (const directory of [home, join(machine.root, "state")]) {
    expect(statSync(directory).mode & 0o777).toBe(0o700)
  }
})

test("the stand-in is written once, and again when the checkout has moved", async () => {
  await using machine = await createCheckout()
  const first = await machine.prepare({})
  const written = await stat(join(first.home, plugin))
  await machine.prepare({})
  expect((await stat(join(first.home, plugin))).ino).toBe(written.ino)

  const repository = await standInIn(machine, "elsewhere")
  const moved = await machine.prepare({ repository })
  expect(moved.home).toBe(first.home)
  expect(await readFile(join(moved.home, plugin), "utf8")).toContain(repository)
})

test("an official plugin of the caller is linked, and the caller's home is only read", async () => {
  await using machine = await createCheckout()
  const theirs = await machine.write(`home/.pulumi/${plugin}`, "official")
  const before = readdirSync(join(machine.directory, "home/.pulumi"), { recursive: true })

  const { home, provider, reason } = await machine.prepare({})
  expect({ home, provider }).toEqual({ home: join(machine.root, "official"), provider: "official" })
  expect(reason).toContain("is installed in")
  expect(await readlink(join(home, plugin))).toBe(theirs)
  // Pulumi ignores a plugin folder that is itself a link.
  expect(statSync(join(home, "plugins", folder)).isDirectory()).toBe(true)
  expect(readdirSync(join(home, "plugins"), { withFileTypes: true })[0]?.isDirectory()).toBe(true)
  expect(readdirSync(join(machine.directory, "home/.pulumi"), { recursive: true })).toEqual(before)

  const secondHome = await machine.prepare({ baseUrl: real })
  expect(secondHome).toMatchObject({
    home,
    provider: "official",
    reason: "the official plugin is in place",
  })
})

test("the caller's PULUMI_HOME is searched as well", async () => {
  await using machine = await createCheckout()
  const theirs = await machine.write(`theirs/${plugin}`, "official")
  const env = { PULUMI_HOME: join(machine.directory, "theirs") }
  const { home } = await machine.prepare({ env })
  expect(await readlink(join(home, plugin))).toBe(theirs)
})

test("a broken link is not a plugin", async () => {
  await using machine = await createCheckout()
  const theirs = await machine.write(`home/.pulumi/${plugin}`, "official")
  await machine.prepare({})
  await rm(theirs)
  expect(await machine.prepare({})).toMatchObject({ provider: "stand-in" })
})

test("a plugin that Pulumi is still unpacking is not taken", async () => {
  await using machine = await createCheckout()
  await machine.write(`home/.pulumi/${plugin}`, "half of it")
  await machine.write(`home/.pulumi/plugins/${folder}.partial`, "")
  expect(await machine.prepare({})).toMatchObject({ provider: "stand-in" })
})

test("a shell with the stand-in's home does not make it the official plugin", async () => {
  await using machine = await createCheckout()
  const { home } = await machine.prepare({ choice: "stand-in" })
  expect(await machine.prepare({ env: { PULUMI_HOME: home } })).toMatchObject({
    provider: "stand-in",
    reason: expect.stringContaining("is not available"),
  })
})

test("online, the engine downloads the official plugin into its own home", async () => {
  await using machine = await createCheckout({ online: true })
  await machine.script(
    "pulumi",
    `[ "$*" = "plugin install resource cloudflare ${providerVersion} --non-interactive" ] || exit 2
/bin/mkdir -p "$PULUMI_HOME/plugins/${folder}"
echo official > "$PULUMI_HOME/${plugin}"`,
  )
  const { home, provider } = await machine.prepare({ choice: "official" })
  expect(provider).toBe("official")
  expect(await readFile(join(home, plugin), "utf8")).toBe("official\n")
  expect(existsSync(machine.env.HOME)).toBe(false)
  expect(machine.events).toEqual([
    `Downloading Pulumi's Cloudflare provider ${providerVersion}`,
    undefined,
  ])
})

test("after a failed download a local stack uses the stand-in and says why", async () => {
  await using machine = await createCheckout({ online: true })
  const { provider, reason } = await machine.prepare({})
  expect(provider).toBe("stand-in")
  expect(reason).toContain("its download failed: not asked for")
})

test("ACCOUNTS_PROVIDER=official never falls back to the stand-in", async () => {
  await using machine = await createCheckout()
  const prepared = machine.prepare({ choice: "official" })
  await expect(prepared).rejects.toThrow("ACCOUNTS_PROVIDER=stand-in")
  expect(existsSync(join(machine.root, "stand-in"))).toBe(false)
})

test.each([undefined, "official", "stand-in"])(
  "an API beyond this machine never gets the stand-in (%s)",
  async (choice) => {
    await using machine = await createCheckout()
    const prepared = machine.prepare({ ...(choice && { choice }), baseUrl: real })
    await expect(prepared).rejects.toThrow(
      /^(?:No Cloudflare provider: |The stand-in provider works on)/,
    )
    expect(existsSync(join(machine.root, "stand-in"))).toBe(false)
  },
)

test("a misspelt choice names the allowed values", async () => {
  await using machine = await createCheckout()
  await expect(machine.prepare({ choice: "standin" })).rejects.toThrow(
    'ACCOUNTS_PROVIDER is "standin"; it must be official, stand-in or unset',
  )
})

test("a note in the stand-in's folder says what it is", async () => {
  await using machine = await createCheckout()
  const { home } = await machine.prepare({})
  expect(readFileSync(join(home, "plugins", folder, "stand-in.txt"), "utf8")).toContain("stand-in")
})
