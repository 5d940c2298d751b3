import { execFileSync, spawn } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"

import { lastBuildFiles } from "../../infra/build.ts"
import { root } from "../../root.ts"

const sources = [
  "accounts",
  "app",
  "cli",
  "docs",
  "environments",
  "infra",
  "local",
  "migrations",
  "node-version.js",
  "failure.ts",
  "loopback.ts",
  "package.json",
  "process-environment.ts",
  "provider",
  "Pulumi.yaml",
  "root.ts",
  "tsconfig.base.json",
  "user-agent.ts",
]

export type Run = { code: number | null; stdout: string; stderr: string }

export type Checkout = AsyncDisposable & {
  directory: string
  /** State directory of this copy. */
  state: string
  edit(path: string, change: (content: string) => string): void
  /** Starts a command of the copy in its own process group. */
  spawn(...args: string[]): ReturnType<typeof spawn>
  /** Runs a command of the copy until it exits. */
  run(...args: string[]): Promise<Run>
  /** Runs a command and throws its output unless it exits with 0. */
  succeed(...args: string[]): Promise<Run>
}

export type CheckoutOptions = {
  environment?: NodeJS.ProcessEnv
  /** Takes along what was built, which a clone does not have. */
  built?: boolean
}

/** Copies the checkout into a new Git repository, as a user's clone, to edit and to deploy from. */
export function copyCheckout(options: CheckoutOptions = {}): Checkout {
  const { environment = {}, built = true } = options
  const directory = newDirectory()
  const state = join(directory, ".local")
  for (const source of sources) {
    cpSync(join(root, source), join(directory, source), { recursive: true, filter: isNoTest })
  }
  if (built) copyBuild(directory)
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"))
  writeFileSync(join(directory, ".gitignore"), "node_modules\n.local/\n.build/\n")
  git(directory, "init", "--quiet", "--initial-branch=main")
  git(directory, "add", "--all")
  commit(directory, "Start")

  const start = (...args: string[]) =>
    spawn(process.execPath, [join(directory, "cli/main.js"), ...args], {
      cwd: directory,
      env: { ...process.env, ...environment },
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
    directory,
    state,
    edit(path, change) {
      const file = join(directory, path)
      writeFileSync(file, change(readFileSync(file, "utf8")))
    },
    spawn: start,
    run,
    async succeed(...args) {
      const done = await run(...args)
      if (done.code === 0) return done
      throw new Error(`${args.join(" ")} exited with ${done.code}:\n${done.stdout}${done.stderr}`)
    },
    async [Symbol.asyncDispose]() {
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
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

/** No command reads tests, a third of the files. */
function isNoTest(path: string): boolean {
  return !path.endsWith(".test.ts")
}

/** What was built of the same files need not be built again. */
function copyBuild(directory: string): void {
  for (const file of lastBuildFiles()) cpSync(file, join(directory, relative(root, file)))
}

function git(directory: string, ...args: string[]): void {
  execFileSync("git", args, { cwd: directory, stdio: "pipe" })
}

/** Commits everything in a copy, even if nothing changed. */
export function commit(directory: string, message: string): void {
  git(directory, "add", "--all")
  const author = [
    "-c",
    "user.name=Test",
    "-c",
    "user.email=test@example.com",
    "-c",
    "commit.gpgsign=false",
  ]
  git(directory, ...author, "commit", "--quiet", "--allow-empty", "-m", message)
}
