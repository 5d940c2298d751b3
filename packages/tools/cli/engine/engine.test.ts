import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { chmod, readFile, readdir } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"

import { Failure, messageOf } from "../../base/failure.ts"
import { engineVersion } from "./engine-environment.ts"
import { findEngine } from "./engine.ts"
import { createMachine, createSite, withoutGo } from "./testing/machine.ts"

/** A machine with Go but no internet, and a small tool in place of Pulumi's source. */
async function createBuilder(nonce?: string) {
  const machine = createMachine()
  const site = await createSite((_, response) => response.writeHead(404).end())
  await machine.installGo()
  const tool = await machine.goTool(nonce)
  const { env, onProgress } = machine
  return {
    ...machine,
    command: join(machine.cache, engineVersion, "bin", "pulumi"),
    find: () => findEngine({ env, onProgress, site: site.url, tool }),
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await machine[Symbol.asyncDispose]()
    },
  }
}

test("an engine on PATH that is new enough is used as it is", async () => {
  await using machine = createMachine()
  const command = await machine.script("pulumi", "echo v3.300.1")
  const engine = await findEngine({ env: machine.env, onProgress: machine.onProgress })
  expect(engine).toEqual({ command, version: "3.300.1", source: "path" })
  expect(existsSync(machine.cache)).toBe(false)
  expect(machine.events).toEqual([undefined])
})

test("asking an engine for its version does not touch the caller's Pulumi home", async () => {
  await using machine = createMachine()
  const homeFile = join(machine.directory, "seen")
  await machine.script("pulumi", `echo "$PULUMI_HOME" > ${homeFile}\necho 3.300.1`)
  const home = join(machine.directory, "theirs")
  await findEngine({ env: { ...machine.env, PULUMI_HOME: home } })
  const used = (await readFile(homeFile, "utf8")).trim()
  expect(used).not.toBe(home)
  expect(existsSync(used)).toBe(false)
})

test("--engine takes precedence over ACCOUNTS_ENGINE, and both over PATH, wherever the file is", async () => {
  await using machine = createMachine()
  await machine.script("pulumi", "echo 3.300.1")
  const first = await machine.write("first/pulumi-next", "#!/bin/sh\necho 3.260.0\n", 0o755)
  const second = await machine.write("second/pulumi", "#!/bin/sh\necho 3.261.0\n", 0o755)
  const env = { ...machine.env, ACCOUNTS_ENGINE: second }

  const engine = await findEngine({ enginePath: first, env })
  expect(engine).toMatchObject({ command: first, version: "3.260.0", source: "option" })

  expect(await findEngine({ env })).toMatchObject({ command: second, source: "option" })
})

test.each([
  ["too old", "echo v3.100.0", "is Pulumi 3.100.0; 3.259.0 or newer"],
  ["of another major", "echo v4.0.0", "is Pulumi 4.0.0; 3.259.0 or newer of the same major"],
  ["broken", "echo cannot load library >&2; exit 127", "cannot load library"],
  ["something else", "echo hello", 'it prints "hello"'],
])("a named engine that is %s is refused, and the search stops", async (_, body, reason) => {
  await using machine = createMachine()
  await machine.script("pulumi", "echo 3.300.1")
  const enginePath = await machine.write("other/pulumi", `#!/bin/sh\n${body}\n`, 0o755)
  const search = findEngine({ enginePath, env: machine.env })
  await expect(search).rejects.toThrow(reason)
  await expect(search).rejects.toThrow("--engine")
})

test("the error names a path that is not an executable", async () => {
  await using machine = createMachine()
  const enginePath = await machine.write("notes.txt", "")
  await expect(
    findEngine({ env: { ...machine.env, ACCOUNTS_ENGINE: enginePath } }),
  ).rejects.toThrow(`ACCOUNTS_ENGINE: ${enginePath} is not an executable file`)
})

test("if every source fails, one error lists what would help and why each failed", async () => {
  await using machine = createMachine()
  await using site = await createSite((_, response) => response.writeHead(503).end())
  const old = await machine.script("pulumi", "echo v3.100.0")
  const search = findEngine({ env: machine.env, site: site.url, onProgress: machine.onProgress })
  await expect(search).rejects.toThrow(Failure)
  const message = await search.then(() => "", messageOf)
  for (const part of [
    "Install pulumi 3.259.0 or newer and put it on PATH, or pass --engine PATH",
    `${old} is Pulumi 3.100.0`,
    "Connect to the internet",
    `${site.url.host} answers 503`,
    "Install Go 1.21 or newer",
    "There is no go on PATH",
  ]) {
    expect(message).toContain(part)
  }
  expect(await readdir(machine.cache)).toEqual([])
  expect(machine.events.at(-1)).toBeUndefined()
})

test.skipIf(withoutGo)(
  "an engine that had to be built is kept, and every later search finds it",
  async () => {
    await using machine = await createBuilder()
    const { command } = machine
    expect(await machine.find()).toEqual({ command, version: engineVersion, source: "build" })
    expect(await machine.find()).toEqual({ command, version: engineVersion, source: "cache" })
    // Neither a draft nor a lock remains beside it.
    expect(await readdir(machine.cache)).toEqual([engineVersion])
  },
)

test.skipIf(withoutGo)("the same source gives the same bytes in every directory", async () => {
  const nonce = randomUUID()
  await using here = await createBuilder(nonce)
  await using builder = await createBuilder(nonce)
  await Promise.all([here.find(), builder.find()])
  const [first, second] = await Promise.all([readFile(here.command), readFile(builder.command)])
  expect(first.equals(second)).toBe(true)
  expect(first.includes(nonce)).toBe(true)
})

test.skipIf(withoutGo)("a cached engine that cannot be executed is built again", async () => {
  await using machine = await createBuilder()
  await machine.find()
  await chmod(machine.command, 0o644)
  expect((await machine.find()).source).toBe("build")
  expect(await readdir(machine.cache)).toEqual([engineVersion])
})

test("a cached engine is found without a start of it, also by its path", async () => {
  await using machine = createMachine()
  const started = join(machine.directory, "started")
  const content = `#!/bin/sh\ntouch ${started}\necho ${engineVersion}\n`
  const file = await machine.write(`cache/engine/${engineVersion}/bin/pulumi`, content, 0o755)
  const engine = await findEngine({ env: machine.env })
  expect(engine).toMatchObject({ command: file, version: engineVersion, source: "cache" })
  const givenEngine = await findEngine({ env: machine.env, enginePath: file })
  expect(givenEngine).toEqual({ ...engine, source: "option" })
  expect(existsSync(started)).toBe(false)
})

test.skipIf(withoutGo)("the next build removes what a killed run left behind", async () => {
  await using machine = await createBuilder()
  await machine.write(`cache/engine/.${engineVersion}-killed/bin/pulumi`, "half of an engine")
  expect((await machine.find()).source).toBe("build")
  expect(await readdir(machine.cache)).toEqual([engineVersion])
})

test.skipIf(withoutGo)("two concurrent searches build one engine", async () => {
  await using machine = await createBuilder()
  const engines = await Promise.all([machine.find(), machine.find()])
  expect(engines.map(({ source }) => source).toSorted()).toEqual(["build", "cache"])
  expect(
    machine.events.filter((step) => step?.startsWith("Waiting for another process")),
  ).toHaveLength(1)
  expect(machine.events.filter((step) => step === "Verifying the engine")).toHaveLength(1)
})
