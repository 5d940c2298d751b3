import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"

import { type JudgedFile, judgeEach } from "@accounts-stack/d1-migrations"
import type { Migration } from "@accounts-stack/d1-migrations/files"
import * as z from "zod"

import { checkEnvironments, checkOwners } from "../../environment/check.ts"
import { defaultLocation } from "../../environment/effective/effective.ts"
import {
  type Change,
  changesBetween,
  factsOf,
  databaseJurisdiction,
  databaseLocation,
} from "../../environment/effective/facts.ts"
import { renderEnvironments } from "../../environment/effective/rendered.ts"
import { readMigrations } from "../../environment/own-names.ts"
import type { Finding } from "../../environment/rules/rules.ts"
import { secretRotations } from "../../environment/secrets.ts"
import { readText, readSource } from "../../environment/stack-source.ts"
import { listEnvironments } from "../../environment/subject.ts"
import { openBase } from "../rehearsal/base-commit.ts"
import type { BranchRehearsal } from "../rehearsal/rehearse-branch.ts"
import { type ApiChange, apiChanges, descriptionPath } from "./api-changes.ts"
import {
  type ChangedFile,
  changedFiles,
  operationsBehind,
  previewOfBranch,
  type PreviewOfBranch,
} from "./branch-files.ts"
import { type LockChanges, lockChanges } from "./lock-changes.ts"

/** Facts of each route, such as its callers, its limits and its audit entry. */
const Routes = z.record(z.string(), z.record(z.string(), z.string()))

/** A test generates this file from the service. */
const routesPath = "docs/routes.json"

/** Compares `docs/routes.json` of the base and of the branch. A test keeps it up to date. */
export function routeChanges(before: string | undefined, after: string | undefined): Change[] {
  const [old, now] = [parse(before), parse(after)]
  const routes = new Set([...Object.keys(old), ...Object.keys(now)])
  return [...routes].toSorted().flatMap((route) => {
    const [oldFacts, is] = [old[route], now[route]]
    if (oldFacts === undefined || is === undefined) {
      return [{ section: "routes", key: route, before: allFacts(oldFacts), after: allFacts(is) }]
    }
    return [...new Set([...Object.keys(oldFacts), ...Object.keys(is)])]
      .filter((fact) => oldFacts[fact] !== is[fact])
      .map((fact) => {
        const [from = "none", to = "none"] = [oldFacts[fact], is[fact]]
        return { section: "routes", key: `${route} ${fact}`, before: from, after: to }
      })
  })
}

function allFacts(facts: Record<string, string> | undefined): string | undefined {
  if (facts === undefined) return undefined
  const texts = Object.entries(facts).map(([fact, text]) => `${fact} ${text}`)
  return texts.join(", ") || "nothing"
}

function withOperations(file: ChangedFile, behind: (path: string) => string[]): ChangedFile {
  if (file.part !== "answers requests") return file
  return Object.assign(file, { operations: behind(file.path) })
}

/** Returns the names of the API operations in `docs/routes.json`. */
function operationsIn(text: string | undefined): string[] {
  return Object.keys(parse(text)).flatMap((route) => /\/api\/v1\/(\w+)$/.exec(route)?.[1] ?? [])
}

function parse(text: string | undefined) {
  return text === undefined ? {} : Routes.parse(JSON.parse(text))
}

/** The rehearsal of the branch's migrations, or the reason why it failed. */
export type ReviewRehearsal = { rehearsal: BranchRehearsal } | { failure: string }

export type EnvironmentChanges = {
  name: string
  changes: Change[]
  /** Whether its stack file cannot be read. */
  unreadable?: boolean
  /** Whether the changes would replace its database by an empty one, which a plan refuses. */
  loses?: boolean
  /** Whether the API moves away from a host that the base protects. */
  movesHost?: boolean
}

export type Review = {
  /** Commit whose code judges the branch; undefined if the branch's own code does. */
  judge: string | undefined
  /** Changed files whose effect no section below can describe. */
  code: ChangedFile[]
  packages: LockChanges
  environments: EnvironmentChanges[]
  refused: Finding[]
  /** Findings that the base has as well. They do not block this branch. */
  inherited: Finding[]
  accepted: Finding[]
  /** Effective files that differ from what the judging code renders, with the differences. */
  stale: { path: string; changes: Change[] }[]
  /** Changes of routes: their callers, origins, limits, queries, writes, audit entries and emails. */
  routes: Change[]
  /** Breaking changes for clients of the API. */
  api: ApiChange[]
  migrations: {
    name: string
    kind: string
    objections: string[]
    /** Declared losses, with their reasons. */
    declared: string[]
  }[]
  /** KiB, minified; undefined if docs/bundle.md has no size. */
  bundle: { before: number | undefined; after: number | undefined }
  /** Undefined if no branch is checked out, or there are no previews. */
  preview: PreviewOfBranch | undefined
  /** Set only if the branch adds a migration. */
  rehearsal?: ReviewRehearsal | undefined
}

/**
 * Finds what a branch changes in each environment, without a key, an engine or the network.
 * @param root checkout of the branch, which is only read
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
    const loses = isKept(before, text) && changes.some(keepsNoDatabase)
    const isHeld = factsOf(before).get("deletion: hostname") === "refused"
    return { name, changes, loses, movesHost: isHeld && changes.some(isMoveOfHost) }
  })
  const removed = base
    .list("environments")
    .filter((path) => path.endsWith(".effective.yaml"))
    .filter(
      (path) =>
        !rendered.some((environmentFile) => basename(environmentFile.path) === basename(path)),
    )
    .map((path) => ({
      name: basename(path, ".effective.yaml"),
      changes: changesBetween(base.read(path)?.toString(), undefined),
    }))
  using before = mkdtempDisposableSync(join(tmpdir(), "accounts-base-"))
  writeInto(before.path, base.files)
  const checked = check(root)
  const isOfBase = inBase(before.path)
  const read = (path: string) => readText(join(root, path))
  const versionsOf = (path: string) => [base.read(path)?.toString(), read(path)] as const
  const lock = versionsOf("package-lock.json")
  const behind = operationsBehind(root, operationsIn(read(routesPath)))
  return {
    judge,
    code: changedFiles(root, base.sha)
      .filter(({ part }) => part !== "is declared" && part !== "is read alone")
      .map((file) => withOperations(file, behind)),
    packages: lockChanges(...lock, (path) => read(join(path, "package.json"))),
    environments: [...environments, ...removed],
    refused: [
      ...checked.refused.filter((finding) => !isOfBase(finding)),
      ...movedSeals(root, before.path),
    ],
    inherited: checked.refused.filter(isOfBase),
    accepted: checked.accepted,
    stale: rendered
      .filter(({ text, committed }) => text !== undefined && text !== committed)
      .map(({ path, text, committed }) => ({
        path: `environments/${basename(path)}`,
        changes: changesBetween(text, committed),
      })),
    routes: routeChanges(...versionsOf(routesPath)),
    api: apiChanges(...versionsOf(descriptionPath)),
    migrations: await reviewMigrations(root, base),
    bundle: {
      before: bundleSize(base.read("docs/bundle.md")?.toString()),
      after: bundleSize(read("docs/bundle.md")),
    },
    preview: previewOfBranch(root, environment),
  }
}

/** Returns an environment's name. The branch chooses file names, so unusual characters become `?`. */
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

/** Returns whether the base has the same finding, on any line. `folder` contains the base's files. */
function inBase(folder: string): (finding: Finding) => boolean {
  const identityOf = ({ rule, file, key, reason }: Finding) => [rule, file, key, reason].join("\n")
  const baseFindings = new Set(check(folder).refused.map(identityOf))
  return (finding) => baseFindings.has(identityOf(finding))
}

async function reviewMigrations(
  root: string,
  base: ReturnType<typeof openBase>,
): Promise<Review["migrations"]> {
  const files = await readMigrations(join(root, "migrations"))
  const before = ({ name }: Migration) => base.read(`migrations/${name}`)?.toString()
  const added = judgeEach(files, (file) => before(file) === undefined)
  const judgedFiles = files.flatMap((file): Review["migrations"] => {
    const { name } = file
    const judged = added.find((judgedFile) => judgedFile.file === file)
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
    ...judgedFiles,
    ...removed.map((name) => ({
      name,
      kind: "removed",
      objections: ["A migration that may have been applied never goes: restore it."],
      declared: [],
    })),
  ]
}

function wordsOf(declaration: JudgedFile["declarations"][number]): string {
  const [does = ""] = declaration.does.split(" ")
  if (declaration.table === undefined) {
    return `${does} ${declaration.kind} ${declaration.name}: ${declaration.reason}`
  }
  const column = "column" in declaration ? `.${declaration.column}` : ""
  return `${does} ${declaration.table}${column}: ${declaration.reason}`
}

/** Reads the size (KiB) from docs/bundle.md, which a test keeps up to date. */
function bundleSize(page: string | undefined): number | undefined {
  const size = /An isolate starts with \*\*([\d.]+) KiB\*\* minified/.exec(page ?? "")?.[1]
  return size === undefined ? undefined : Number(size)
}

/** Environments that the branch's own code may render differently from the judging code. */
export function renderedOtherwise({ judge, code, stale }: Review): EnvironmentChanges[] {
  const isOwn = judge === undefined || code.every(({ part }) => part === "tests")
  return isOwn ? [] : stale.map(({ path, changes }) => ({ name: nameIn(path), changes }))
}

/**
 * Finds ciphertexts that the branch moves to another secret. That needs no key, and gives the secret a value
 * that more people may know.
 * @param base folder with the files of the base
 */
function movedSeals(root: string, base: string): Finding[] {
  const seals = sealsOf(root)
  const before = sealsOf(base)
  const isThere = (file: string) => seals.some((sealedValue) => sealedValue.file === file)
  return seals.flatMap(({ file, key, seal, place }): Finding[] => {
    const sealsOfBase = before.filter((sealOfBase) => sealOfBase.seal === seal)
    const isOwn = sealsOfBase.some((sealOfBase) => {
      // A renamed stack keeps its secrets.
      const isSameFile = sealOfBase.file === file || !isThere(sealOfBase.file)
      return isSameFile && nameOf(sealOfBase.key) === nameOf(key)
    })
    const [firstOfBase] = sealsOfBase
    if (firstOfBase === undefined || isOwn) return []
    const reason = `has the ciphertext that is ${firstOfBase.key} of ${firstOfBase.file} in the base`
    const fix = "seal the value of this secret: pulumi config set --secret --path"
    return [{ rule: "R66", file, ...place, key, reason, fix }]
  })
}

/** Maps the key of a previous value to its secret: a rotation moves the ciphertext there, a revert moves it back. */
function nameOf(key: string): string {
  const rotation = secretRotations.find(({ previous }) => key === `accounts:secrets.${previous}`)
  return rotation ? `accounts:secrets.${rotation.name}` : key
}

function sealsOf(root: string) {
  return listEnvironments(join(root, "environments"), "environments").flatMap(({ path, label }) => {
    const { seals, locate } = readSource(path)
    return Object.entries(seals).map(([key, seal]) => {
      return { file: label, key, seal, place: locate(key.split(".")) }
    })
  })
}

/** Whether a change would replace a database by a new, empty one. */
export function keepsNoDatabase({ section, key, before, after }: Change): boolean {
  if (before === undefined || after === undefined) return false
  const isName = section === "names" && (key === "account" || key === "database")
  const placed = section === "runtime" && (key === databaseJurisdiction || key === databaseLocation)
  // Removing a location hint moves nothing.
  return isName || (placed && after !== defaultLocation)
}

function isMoveOfHost({ section, key, before, after }: Change): boolean {
  return section === "reach" && key === "api" && before !== undefined && after !== undefined
}

/** Whether an environment has a database to lose, by its effective files. A draft has no account id yet. */
function isKept(before: string | undefined, after: string | undefined): boolean {
  const account = factsOf(before).get("names: account") ?? "0"
  return !/^0+$/.test(account) && factsOf(after).get("deletion: database") === "refused"
}
