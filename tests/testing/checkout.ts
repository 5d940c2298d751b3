import { execFileSync, spawn, spawnSync } from "node:child_process"
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"

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
  "package-lock.json",
  "package.json",
  "process-environment.ts",
  "provider",
  "Pulumi.yaml",
  "root.ts",
  "tsconfig.base.json",
  "tsconfig.json",
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
  writeSources(directory)
  if (built) copyBuild(directory)
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"))
  writeFileSync(join(directory, ".gitignore"), "node_modules\n.local/\n.build/\n")
  initialize(directory)
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

type Source = { path: string; content: Buffer; mode: number }

let read: Source[] | undefined

/** A process reads the sources once, for all of its copies. */
function writeSources(directory: string): void {
  read ??= sources.flatMap(readSource)
  for (const folder of new Set(read.map(({ path }) => dirname(path)))) {
    mkdirSync(join(directory, folder), { recursive: true })
  }
  for (const { path, content, mode } of read) {
    writeFileSync(join(directory, path), content, { mode })
  }
}

function readSource(path: string): Source[] {
  const file = join(root, path)
  const found = statSync(file)
  if (found.isFile()) return [{ path, content: readFileSync(file), mode: found.mode }]
  const names = readdirSync(file).filter((name) => !isOfTests(name))
  return names.flatMap((name) => readSource(join(path, name)))
}

/** No command reads tests and what they need, which are half of the files. */
function isOfTests(name: string): boolean {
  return name.endsWith(".test.ts") || ["testing", "tests", "golden"].includes(name)
}

/** What was built of the same files need not be built again. */
function copyBuild(directory: string): void {
  for (const file of lastBuildFiles()) cpSync(file, join(directory, relative(root, file)))
}

/** A repository that reads what the checkout has committed from there, and writes only the rest. */
function initialize(directory: string): void {
  git(directory, "init", "--quiet", "--initial-branch=main", "--template=")
  committed ??= findObjects()
  if (committed) writeFileSync(join(directory, ".git/objects/info/alternates"), `${committed}\n`)
}

let committed: string | undefined

/** Where the checkout's repository has its objects; empty if it is none, such as an archive. */
function findObjects(): string {
  const asked = ["rev-parse", "--path-format=absolute", "--git-path", "objects"]
  const { status, stdout } = spawnSync("git", asked, { cwd: root, encoding: "utf8" })
  return status === 0 ? stdout.trim() : ""
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
    "-c",
    "maintenance.auto=false",
  ]
  git(directory, ...author, "commit", "--quiet", "--allow-empty", "-m", message)
}
