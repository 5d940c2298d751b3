import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"

import { root } from "../../base/root.ts"
import { commit, git } from "./commit.ts"

const sources = [
  "accounts",
  "app",
  "docs",
  "environments",
  "infra",
  "migrations",
  "package-lock.json",
  "package.json",
  // The pages are a front end, which uses it.
  "packages/client/src",
  "packages/d1-migrations",
  "packages/local",
  // Records what a test's local Cloudflare is asked.
  "packages/local/cloudflare/contract/testing",
  "packages/pulumi-host",
  "packages/tools",
  "Pulumi.yaml",
  "tsconfig.base.json",
  "tsconfig.json",
]

/** Folders whose files no command writes. */
const shared = new Set(["app", "infra", "packages"])

/** When each file was saved, in seconds: before any test, so that Git sees every change. */
const saved = Date.UTC(2026, 0, 1) / 1000

type Source = { path: string; content: Buffer; mode: number }

let read: Source[] | undefined

/** Template of this process's copies; empty outside a test run. */
let template: string | undefined

/**
 * Writes the sources, and a repository in which they are committed. The copies of a test run are made of
 * one template, with links to its files: most of what a copy takes is making a thousand files.
 */
export function writeSources(directory: string): void {
  template ??= findTemplate()
  if (template === "") return create(directory)
  for (const folder of foldersOf(readSources())) {
    mkdirSync(join(directory, folder), { recursive: true })
  }
  for (const source of readSources()) {
    if (isShared(source)) linkSync(join(template, source.path), join(directory, source.path))
    else write(directory, source)
  }
  mkdirSync(join(directory, ".git/objects/info"), { recursive: true })
  mkdirSync(join(directory, ".git/refs/heads"), { recursive: true })
  const alternates = join(directory, ".git/objects/info/alternates")
  writeFileSync(alternates, `${join(template, ".git/objects")}\n`)
  for (const name of ["HEAD", "config", "index", "refs/heads/main"]) {
    copyFileSync(join(template, ".git", name), join(directory, ".git", name))
  }
}

/** @throws if a test has written to a file of a copy that is one of all other copies too */
export function expectUnchanged(): void {
  const from = template ?? ""
  if (from === "") return
  const changed = readSources().filter(
    (source) => isShared(source) && statSync(join(from, source.path)).mtimeMs !== saved * 1000,
  )
  if (changed.length === 0) return
  const paths = changed.map(({ path }) => path).join(", ")
  throw new Error(`${paths}: changed in every copy of the checkout. Use its write or edit.`)
}

/** Path in the directory that a test run deletes at its end; a changed source gets another one. */
function findTemplate(): string {
  const run = process.env["NODE_COMPILE_CACHE"] ?? ""
  if (!basename(run).startsWith("accounts-compiled-")) return ""
  const hash = createHash("sha256")
  for (const { path, content, mode } of readSources()) {
    hash.update(`${path}\0${mode}\0`).update(content)
  }
  const directory = join(run, `checkout-${hash.digest("hex").slice(0, 16)}`)
  if (existsSync(directory)) return directory
  const draft = `${directory}.${process.pid}`
  create(draft)
  try {
    renameSync(draft, directory)
  } catch (error) {
    // Another process was faster.
    if (!existsSync(directory)) throw error
    rmSync(draft, { recursive: true })
  }
  return directory
}

function create(directory: string): void {
  for (const folder of foldersOf(readSources())) {
    mkdirSync(join(directory, folder), { recursive: true })
  }
  for (const source of readSources()) write(directory, source)
  initialize(directory)
  commit(directory, "Start")
}

function write(directory: string, { path, content, mode }: Source): void {
  writeFileSync(join(directory, path), content, { mode })
  utimesSync(join(directory, path), saved, saved)
}

function isShared({ path }: Source): boolean {
  return shared.has(path.split("/", 1)[0] ?? "")
}

function foldersOf(files: Source[]): Set<string> {
  return new Set(files.map(({ path }) => dirname(path)))
}

/** A process reads the sources once, for all of its copies. */
function readSources(): Source[] {
  if (read !== undefined) return read
  const ignore = Buffer.from("node_modules\n.local/\n.build/\n")
  read = [...sources.flatMap(readSource), { path: ".gitignore", content: ignore, mode: 0o644 }]
  return read
}

function readSource(path: string): Source[] {
  const file = join(root, path)
  const stats = statSync(file)
  if (stats.isFile()) return [{ path, content: readFileSync(file), mode: stats.mode }]
  const names = readdirSync(file).filter((name) => !isOfTests(name))
  return names.flatMap((name) => readSource(join(path, name)))
}

/** No command reads tests and what they need, which are half of the files. */
function isOfTests(name: string): boolean {
  return name.endsWith(".test.ts") || ["testing", "tests", "golden"].includes(name)
}

/** A repository that reads what the checkout has committed from there, and writes only the rest. */
function initialize(directory: string): void {
  git(directory, "init", "--quiet", "--initial-branch=main", "--template=")
  // A linked file has the time of a link, and another number than the file that was committed.
  git(directory, "config", "core.trustctime", "false")
  git(directory, "config", "core.checkStat", "minimal")
  const committed = findObjects()
  if (committed) writeFileSync(join(directory, ".git/objects/info/alternates"), `${committed}\n`)
}

/** Where the checkout's repository has its objects; empty if it is none, such as an archive. */
function findObjects(): string {
  const gitArgs = ["rev-parse", "--path-format=absolute", "--git-path", "objects"]
  const { status, stdout } = spawnSync("git", gitArgs, { cwd: root, encoding: "utf8" })
  return status === 0 ? stdout.trim() : ""
}
