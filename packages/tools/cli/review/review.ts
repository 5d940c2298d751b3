import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"

import { type JudgedFile, judgeEach } from "@accounts-stack/d1-migrations"
import type { Migration } from "@accounts-stack/d1-migrations/files"

import { checkEnvironments } from "../../environment/check.ts"
import { checkOwners } from "../../environment/code-owners.ts"
import { type Change, changesBetween } from "../../environment/effective/changes.ts"
import { renderEnvironments } from "../../environment/effective/rendered.ts"
import { readMigrations } from "../../environment/own-names.ts"
import { readText } from "../../environment/read-text.ts"
import type { Finding } from "../../environment/rules/judge.ts"
import { openBase } from "../rehearsal/base-commit.ts"
import { type ApiChange, apiChanges, descriptionPath } from "./api-changes.ts"
import { type ChangedFile, changedFiles } from "./changed-files.ts"
import { type LockChanges, lockChanges } from "./lock-changes.ts"
import { isKept, keepsNoDatabase } from "./lost-databases.ts"
import { movedSeals } from "./moved-seals.ts"
import { type PreviewOfBranch, previewOfBranch } from "./preview-url.ts"
import type { ReviewRehearsal } from "./review-rehearsal.ts"
import { type RouteChange, routeChanges, routesPath } from "./route-changes.ts"

export type EnvironmentChanges = {
  name: string
  changes: Change[]
  /** Of its stack file nothing can be said, but where it is wrong. */
  unreadable?: boolean
  /** Whether the plan would refuse it, as its database would be replaced by an empty one. */
  loses?: boolean
}

export type Review = {
  /** Commit whose code has judged; undefined where it is the branch's own. */
  judge: string | undefined
  /** Of which nothing below can speak. */
  code: ChangedFile[]
  packages: LockChanges
  environments: EnvironmentChanges[]
  refused: Finding[]
  /** What the base has as well: it is not by this branch, and does not decide. */
  inherited: Finding[]
  accepted: Finding[]
  /** Effective files that are not what the code that judges renders, with what they say instead. */
  stale: { path: string; changes: Change[] }[]
  /** Who may call each route, its origins and limits, what it asks and writes, its entry and letter. */
  routes: RouteChange[]
  /** What those who call the API lose. */
  api: ApiChange[]
  migrations: {
    name: string
    kind: string
    objections: string[]
    /** What it takes on purpose, and why. */
    declared: string[]
  }[]
  /** KiB, minified; undefined where docs/bundle.md does not say. */
  bundle: { before: number | undefined; after: number | undefined }
  /** Undefined where no branch is checked out, or there are no previews. */
  preview: PreviewOfBranch | undefined
  /** Only where a migration is new. */
  rehearsal?: ReviewRehearsal | undefined
}

/**
 * What a branch changes in which environment: without a key, an engine or the network.
 * @param root files of the branch, which are only read
 */
export async function review(
  root: string,
  baseName: string,
  { environment = process.env, judge }: { environment?: NodeJS.ProcessEnv; judge?: string } = {},
): Promise<Review> {
  const base = openBase(root, baseName, "--base")
  const directory = join(root, "environments")
  const rendered = await renderEnvironments(directory, join(root, "migrations"))
  const environments = rendered.map(({ stack, path, text }): EnvironmentChanges => {
    const name = nameIn(stack)
    if (text === undefined) return { name, changes: [], unreadable: true }
    const before = base.read(`environments/${basename(path)}`)?.toString()
    const changes = changesBetween(before, text)
    return { name, changes, loses: isKept(before, text) && changes.some(keepsNoDatabase) }
  })
  const removed = base
    .list("environments")
    .filter((path) => path.endsWith(".effective.yaml"))
    .filter((path) => !rendered.some((one) => basename(one.path) === basename(path)))
    .map((path) => ({
      name: basename(path, ".effective.yaml"),
      changes: changesBetween(base.read(path)?.toString(), undefined),
    }))
  using before = mkdtempDisposableSync(join(tmpdir(), "accounts-base-"))
  writeInto(before.path, base.files)
  const checked = check(root)
  const isOfBase = inBase(before.path)
  const read = (path: string) => readText(join(root, path))
  const both = (path: string) => [base.read(path)?.toString(), read(path)] as const
  return {
    judge,
    code: changedFiles(root, base.sha).filter(
      ({ part }) => part !== "is declared" && part !== "is read alone",
    ),
    packages: lockChanges(...both("package-lock.json")),
    environments: [...environments, ...removed],
    refused: [...checked.refused.filter((one) => !isOfBase(one)), ...movedSeals(root, before.path)],
    inherited: checked.refused.filter(isOfBase),
    accepted: checked.accepted,
    stale: rendered
      .filter(({ text, committed }) => text !== undefined && text !== committed)
      .map(({ path, text, committed }) => ({
        path: `environments/${basename(path)}`,
        changes: changesBetween(text, committed),
      })),
    routes: routeChanges(...both(routesPath)),
    api: apiChanges(...both(descriptionPath)),
    migrations: await reviewMigrations(root, base),
    bundle: {
      before: bundleSize(base.read("docs/bundle.md")?.toString()),
      after: bundleSize(read("docs/bundle.md")),
    },
    preview: previewOfBranch(root, environment),
  }
}

/** A branch names its files as it likes. */
function nameIn(path: string): string {
  return basename(path, ".effective.yaml").replaceAll(/[^\w.-]/g, "?")
}

function check(root: string): { refused: Finding[]; accepted: Finding[] } {
  const checked = checkEnvironments(join(root, "environments"), { label: "environments" })
  return {
    refused: [...checked.flatMap(({ refused }) => refused), ...checkOwners(root, checked).refused],
    accepted: checked.flatMap(({ accepted }) => accepted),
  }
}

function writeInto(folder: string, files: Map<string, Buffer>): void {
  for (const [path, content] of files) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

/** Whether the base, of which a folder has the files, is refused for the same, wherever it stands in the file. */
function inBase(folder: string): (finding: Finding) => boolean {
  const nameOf = ({ rule, file, key, reason }: Finding) => [rule, file, key, reason].join("\n")
  const known = new Set(check(folder).refused.map(nameOf))
  return (finding) => known.has(nameOf(finding))
}

async function reviewMigrations(
  root: string,
  base: ReturnType<typeof openBase>,
): Promise<Review["migrations"]> {
  const files = await readMigrations(join(root, "migrations"))
  const before = ({ name }: Migration) => base.read(`migrations/${name}`)?.toString()
  const added = judgeEach(files, (file) => before(file) === undefined)
  const found = files.flatMap((file): Review["migrations"] => {
    const { name } = file
    const judged = added.find((one) => one.file === file)
    if (judged !== undefined) {
      const { classification, objections, declarations } = judged
      return [{ name, kind: classification.class, objections, declared: declarations.map(wordsOf) }]
    }
    if (before(file)?.replaceAll(/\r\n?/g, "\n") === file.sql) return []
    const objections = ["A migration that may have been applied never changes: write a new one."]
    return [{ name, kind: "edited", objections, declared: [] }]
  })
  const names = new Set(files.map(({ name }) => name))
  const removed = base
    .list("migrations")
    .map((path) => basename(path))
    .filter((name) => name.endsWith(".sql") && !names.has(name))
  return [
    ...found,
    ...removed.map((name) => ({
      name,
      kind: "removed",
      objections: ["A migration that may have been applied never goes: restore it."],
      declared: [],
    })),
  ]
}

function wordsOf(one: JudgedFile["declarations"][number]): string {
  const [does = ""] = one.does.split(" ")
  if (one.table === undefined) return `${does} ${one.kind} ${one.name}: ${one.reason}`
  const column = "column" in one ? `.${one.column}` : ""
  return `${does} ${one.table}${column}: ${one.reason}`
}

/** A test keeps this page up to date. */
function bundleSize(page: string | undefined): number | undefined {
  const size = /An isolate starts with \*\*([\d.]+) KiB\*\* minified/.exec(page ?? "")?.[1]
  return size === undefined ? undefined : Number(size)
}

/** What the branch's own code may have made of environments that the code that judges renders otherwise. */
export function renderedOtherwise({ judge, code, stale }: Review): EnvironmentChanges[] {
  const isOwn = judge === undefined || code.every(({ part }) => part === "tests")
  return isOwn ? [] : stale.map(({ path, changes }) => ({ name: nameIn(path), changes }))
}
