import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, statSync } from "node:fs"
import { mkdir, readFile, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"

import { expect, test } from "vitest"

import { engineVersion } from "./engine-environment.ts"
import { findEngine } from "./engine.ts"
import { createMachine, createSite, withoutGo } from "./testing/machine.ts"

test.skipIf(withoutGo)(
  "a source that does not compile is reported in the compiler's words",
  async () => {
    await using machine = createMachine()
    await using site = await createSite((_, response) => response.writeHead(404).end())
    await machine.installGo()
    const tool = await machine.goTool()
    await machine.write("tool/main.go", "package main\n\nfunc main() { missing() }\n")
    const search = findEngine({ env: machine.env, site: site.url, tool })
    await expect(search).rejects.toThrow("undefined: missing")
    expect(await readdir(machine.cache)).toEqual([])
  },
)

test.skipIf(withoutGo)(
  "an interrupted build stops everything it started, and the next run continues it",
  async () => {
    await using machine = createMachine()
    await using site = await createSite((_, response) => response.writeHead(404).end())
    await machine.installGo()
    const tool = await machine.goTool()
    const pidFile = join(machine.directory, "pidFile")
    // The first compiler that reaches the second package never exits.
    const compiled = join(machine.directory, "compiled")
    const stuck = await machine.script(
      "stuck",
      `case "$*" in *" -p example.test/"*) echo "$*" >> ${compiled} ;; esac
case "$*" in *" -p example.test/tool/two"*) [ -e ${pidFile} ] || { echo $$ > ${pidFile}; exec /bin/sleep 300; } ;; esac\nexec "$@"`,
    )
    const temporary = join(machine.directory, "temporary")
    await mkdir(temporary)
    const env = { ...machine.env, TMPDIR: temporary, GOFLAGS: `-toolexec=${stuck}` }
    const search = { site: site.url, tool, env }

    const interrupted = await searchElsewhere(machine, {
      ...search,
      until: () => existsSync(pidFile) && statSync(pidFile).size > 0,
      signal: "SIGINT",
    })
    expect(interrupted.code).toBe("INTERRUPTED")
    const compiler = Number(await readFile(pidFile, "utf8"))
    expect(compiler).toBeGreaterThan(0)
    await expect.poll(() => running(compiler)).toBe(false)
    expect(await readdir(machine.cache)).toEqual([])
    expect(await readdir(temporary)).toEqual([])

    await rm(compiled)
    const engine = await findEngine(search)
    expect(engine).toMatchObject({ version: engineVersion, source: "build" })
    const file = await readFile(compiled, "utf8")
    expect(file).toContain(" -p example.test/tool/two ")
    expect(file).not.toContain(" -p example.test/tool/one ")
  },
)

/** A process that has exited stays listed until its parent collects the exit code. */
function running(pid: number) {
  const { stdout } = spawnSync("ps", ["-o", "state=", "-p", String(pid)], { encoding: "utf8" })
  return stdout.trim() !== "" && !stdout.includes("Z")
}

/** Searches in a child process, signals it once `until` holds, and returns its error code. */
async function searchElsewhere(
  machine: ReturnType<typeof createMachine>,
  options: {
    env: NodeJS.ProcessEnv
    site: URL
    tool: object
    until: () => boolean
    signal: NodeJS.Signals
  },
) {
  const { env, site, tool, until, signal } = options
  const program = await machine.write(
    "search.ts",
    `import { findEngine } from ${JSON.stringify(join(import.meta.dirname, "engine.ts"))}
const tool = ${JSON.stringify(tool)}
await findEngine({ site: new URL("${site.href}"), tool, onProgress: () => {} }).catch((error) => console.log(error.code))
`,
  )
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "inherit"] })
  const printed = text(child.stdout)
  const timer = setInterval(() => {
    if (!until()) return
    clearInterval(timer)
    child.kill(signal)
  }, 20)
  await once(child, "close")
  clearInterval(timer)
  return { code: (await printed).trim() }
}
