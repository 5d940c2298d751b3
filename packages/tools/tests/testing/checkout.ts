import { spawn } from "node:child_process"
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { root } from "../../base/root.ts"
import { expectUnchanged, writeSources } from "./checkout-sources.ts"
import { git } from "./commit.ts"

export type Run = { code: number | null; stdout: string; stderr: string }

/** Commands of a working tree. */
type Commands = {
  /** Starts one in its own process group. */
  spawn(...args: string[]): ReturnType<typeof spawn>
  /** Runs one until it exits. */
  run(...args: string[]): Promise<Run>
  /** Runs one and throws its output unless it exits with 0. */
  succeed(...args: string[]): Promise<Run>
}

export type Checkout = AsyncDisposable &
  Commands & {
    directory: string
    /** State directory of this copy. */
    state: string
    /** Replaces a file, as an editor does: other copies may have the same one. */
    write(path: string, content: string): void
    edit(path: string, change: (content: string) => string): void
    /** Writes the next migration. @returns the name of its file */
    addMigration(name: string, sql: string): string
    /** Checks a branch out beside the copy, as its developer does. */
    worktree(branch: string): Commands
  }

export type CheckoutOptions = { environment?: NodeJS.ProcessEnv }

/** Copies the checkout into a new Git repository, as a user's clone, to edit and to deploy from. */
export function copyCheckout(options: CheckoutOptions = {}): Checkout {
  const { environment = {} } = options
  const directory = newDirectory()
  const state = join(directory, ".local")
  writeSources(directory)
  linkPackages(root, directory)
  const compiled = shareCompiled(directory)

  function write(path: string, content: string): void {
    const draft = join(directory, ".git", "draft")
    writeFileSync(draft, content)
    renameSync(draft, join(directory, path))
  }

  // A test may change it.
  const ownEnvironment = () => ({ ...process.env, ...compiled, ...environment })

  return {
    directory,
    state,
    write,
    edit: (path, change) => write(path, change(readFileSync(join(directory, path), "utf8"))),
    addMigration(name, sql) {
      const files = readdirSync(join(directory, "migrations"))
      const count = files.filter((file) => file.endsWith(".sql")).length
      const file = `${String(count).padStart(4, "0")}_${name}.sql`
      write(join("migrations", file), sql)
      return file
    },
    ...commandsIn(directory, ownEnvironment),
    worktree(branch) {
      const tree = join(state, "worktrees", branch)
      git(directory, "worktree", "add", "--quiet", tree, branch)
      linkPackages(root, tree)
      return commandsIn(tree, ownEnvironment)
    },
    async [Symbol.asyncDispose]() {
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
      expectUnchanged()
    },
  }
}

function commandsIn(directory: string, environment: () => NodeJS.ProcessEnv): Commands {
  const start = (...args: string[]) =>
    spawn(process.execPath, [join(directory, "packages/tools/cli/main.js"), ...args], {
      cwd: directory,
      env: environment(),
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    })

  async function run(...args: string[]): Promise<Run> {
    const child = start(...args)
    const output = { stdout: "", stderr: "" }
    child.stdout?.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()))
    child.stderr?.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()))
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
    return { code, ...output }
  }

  return {
    spawn: start,
    run,
    async succeed(...args) {
      const done = await run(...args)
      if (done.code === 0) return done
      throw new Error(`${args.join(" ")} exited with ${done.code}:\n${done.stdout}${done.stderr}`)
    },
  }
}

/** Scope of the project's own packages, which npm links to their folders. */
const scope = "@accounts-stack"

/** Gives another working tree what is installed in this one; the project's own packages are those that lie there. */
function linkPackages(from: string, to: string): void {
  const [installed, linked] = [join(from, "node_modules"), join(to, "node_modules")]
  mkdirSync(linked)
  for (const name of readdirSync(installed).filter((entry) => entry !== scope)) {
    symlinkSync(join(installed, name), join(linked, name))
  }
  cpSync(join(installed, scope), join(linked, scope), { recursive: true, verbatimSymlinks: true })
}

/**
 * Lets commands of all copies use what one of them has compiled: Node then names a file by its path from the
 * cache, which is the same in each.
 */
function shareCompiled(directory: string): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE: run } = process.env
  if (!run) return {}
  const shared = join(run, "copies")
  mkdirSync(shared, { recursive: true })
  const link = join(directory, ".git", "compiled")
  symlinkSync(shared, link)
  return { NODE_COMPILE_CACHE: link, NODE_COMPILE_CACHE_PORTABLE: "1" }
}

let copies = 0

/**
 * A path that a later test file has too, so that Node finds there what it has compiled already; but
 * never twice in a process, which keeps the modules that it has imported from there.
 */
function newDirectory(): string {
  const { ppid, env } = process
  for (;;) {
    copies += 1
    const name = `accounts-checkout-${ppid}-${env["VITEST_POOL_ID"] ?? 0}-${copies}`
    const directory = join(tmpdir(), name)
    if (mkdirSync(directory, { recursive: true, mode: 0o700 }) !== undefined) return directory
  }
}
