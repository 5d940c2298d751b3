import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { basename, join } from "node:path"
import { connect } from "node:tls"

import { readMigrationsStatus } from "@accounts-stack/d1-migrations"
import * as z from "zod"

import { isFailure, messageOf } from "../../base/failure.ts"
import { migrationsDirectory, root } from "../../base/root.ts"
import { parseJson } from "../../deploy/api.ts"
import { moveOf } from "../../deploy/release/deployments.ts"
import { requestService, SmokeTest } from "../../deploy/release/service-request.ts"
import { trySignIn } from "../../deploy/release/sign-in-trial.ts"
import { checkEnvironments } from "../../environment/check.ts"
import { findStale } from "../../environment/effective/rendered.ts"
import { readMigrations } from "../../environment/own-names.ts"
import { setSecret } from "../../environment/rules/outbound.ts"
import { describeFinding } from "../../environment/rules/rules.ts"
import { secretRotations } from "../../environment/secrets.ts"
import { environmentsDirectory } from "../../environment/subject.ts"
import { isPreview } from "../branch/preview-stack.ts"
import { listBackups } from "../database/backup/stored-backup.ts"
import { readDetails } from "../database/d1-account.ts"
import { nextCommand, type StackPlace } from "../local-options.ts"
import { type Drift, findDrift } from "../plan/drift.ts"
import { type Plan, readPlan } from "../plan/plan.ts"
import { readSteps } from "../plan/step.ts"
import { readReleaseStatus, type ReleaseStatus } from "../release/release-status.ts"
import {
  type DeployedStack,
  engineOf,
  openDeployedStack,
  type StackOptions,
} from "../stack/deployed-stack.ts"
import { openByName } from "../stack/open-by-name.ts"
import { openState } from "../stack/stored-state.ts"
import { lastsUntil, tokenExpiry } from "../token-expiry.ts"
import {
  type Finding,
  type Found,
  needsAttention,
  isGone,
  planFindings,
  type Unplanned,
} from "./plan-findings.ts"

const day = 86_400_000

/** Age of a secret, in days, from which status reports it. */
const oldAge = 365

/** Bytes from which status warns. D1's limit is 10 GB: https://developers.cloudflare.com/d1/platform/limits/ */
const fullAt = 8e9

/** Milliseconds within which a sign-in must work. */
const patience = 60_000

/**
 * Examines a deployed environment. Checks are independent: a failing check is `unknown` and hides no other.
 * Read-only, except that a smoke test signs up an account and deletes it again.
 */
export async function examineStack(options: StackOptions): Promise<Finding[]> {
  const { stack } = options
  const file = await look("stack file", () => lookAtFile(stack))
  let databaseId: string | undefined
  const account = await look("account", async () => {
    await using deployed = await openDeployedStack(options)
    ;({ databaseId } = deployed)
    return await lookAtAccount(deployed, options, !file.some(needsAttention))
  })
  const secrets = await look("secrets", async () => lookAtSecrets(options))
  const backup = await look("backup", () => lastBackup({ place: options, databaseId }))
  return [...file, ...account, ...secrets, ...backup]
}

/** Adds the subject to findings that do not name theirs. */
async function look(
  subject: string,
  examine: () => Promise<Found | (Found | Finding)[]>,
): Promise<Finding[]> {
  try {
    return [await examine()].flat().map((finding) => Object.assign({ what: subject }, finding))
  } catch (error) {
    return [{ what: subject, state: "unknown", found: messageOf(error) }]
  }
}

async function lookAtAccount(
  deployed: DeployedStack,
  options: StackOptions,
  deployable: boolean,
): Promise<Finding[]> {
  const { address, stack } = deployed
  const plan = await planOf(stack, options).catch((error: unknown) => unplanned(stack, error))
  const { drift } = plan
  // A missing database or Worker is reported once, not by each check that needs it.
  const noDatabase = isGone(drift, "D1Database")
  const unreachable = ["Worker", "WorkersCustomDomain"].some((kind) => isGone(drift, kind))
  const looks: Record<string, Parameters<typeof look>[1]> = {
    plan: async () => planFindings(plan, deployable, options),
    ...(!unreachable &&
      !noDatabase && {
        release: async () => {
          const status = await readReleaseStatus(deployed)
          const signIn = await look("sign-in", () => lookAtSignIn(deployed, options, status))
          return [releaseFound(status, options, drift), ...signIn]
        },
      }),
    ...(!noDatabase && { database: () => lookAtDatabase(deployed, options) }),
    certificate: async () => {
      const url = new URL(address.url)
      return url.protocol === "http:" || address.connectTo !== undefined
        ? { state: "skipped", found: "the stack is on this machine" }
        : lastsUntil(await certificateUntil(url))
    },
    token: async () => lastsUntil(await tokenExpiry(deployed)),
  }
  const findings = await Promise.all(
    Object.entries(looks).map(([subject, examine]) => look(subject, examine)),
  )
  return byCause(findings.flat())
}

/** Reports a silent database once, instead of once for each check that queries it. */
function byCause(findings: Finding[]): Finding[] {
  const silent = findings.find(({ what, state }) => what === "database" && state === "unknown")
  if (silent === undefined) return findings
  const asking = findings.filter(
    (finding) =>
      needsAttention(finding) &&
      (/^(?:release|sign-in)$/.test(finding.what) ||
        (finding.what === "plan" && finding.state === "unknown")),
  )
  const names = ["", ...asking.map(({ what }) => what)].join(", ")
  const sentence = `D1 does not answer, so nothing is known of rows${names}: ${silent.found}`
  const cause = { ...silent, found: sentence, next: bySymptom }
  return findings
    .filter((finding) => !asking.includes(finding))
    .map((finding) => (finding === silent ? cause : finding))
}

/** Instructions for a database that is slow or does not answer. */
const bySymptom = "docs/operating.md#by-symptom"

async function planOf(name: string, options: StackOptions): Promise<Plan> {
  await using opened = await openByName(name, options)
  return await readPlan(opened.stack, { diff: false })
}

function unplanned(stack: string, error: unknown): Unplanned {
  const events = isFailure(error, "UNANSWERED") ? error.facts.events : []
  return { stack, drift: findDrift(readSteps(events).refreshed), failure: messageOf(error) }
}

/** Finding for a stack without a committed file, such as a preview; undefined if the file exists. */
function withoutFile(stack: string): Found | undefined {
  const file = `Pulumi.${stack}.yaml`
  if (existsSync(join(environmentsDirectory, file))) return undefined
  return isPreview(stack)
    ? { state: "skipped", found: "a preview has the file of all previews" }
    : { state: "unknown", found: `there is no environments/${file}` }
}

async function lookAtFile(stack: string): Promise<Found | Found[]> {
  const missing = withoutFile(stack)
  if (missing !== undefined) return missing
  const refused = checkEnvironments(environmentsDirectory, { label: "environments" })
    .filter((checked) => checked.stack === stack)
    .flatMap((checked) => checked.refused)
  const stale = (await findStale(environmentsDirectory)).filter(
    ({ path }) => basename(path) === `${stack}.effective.yaml`,
  )
  if (refused.length + stale.length === 0) {
    return { state: "ok", found: "in order, and as reviewers have seen it" }
  }
  const next = "./accounts environment check"
  return [
    ...refused.map((refusal): Found => ({ state: "wrong", found: describeFinding(refusal), next })),
    ...stale.map(({ diff }): Found => {
      const staleness = `is not what its effective file says:\n${diff}`
      return { state: "wrong", found: staleness, next: "./accounts environment render" }
    }),
  ]
}

function releaseFound(
  { attention, version, deployment }: ReleaseStatus,
  place: StackPlace,
  drift: Drift[],
): Found {
  const next = nextCommand("release status", place)
  if (attention !== undefined) return { state: "wrong", found: attention, next }
  const isTold = drift.some(
    ({ resource, key }) => resource.startsWith("Release ") && key !== "unconfirmed",
  )
  if ((deployment?.split.length ?? 0) > 1 && !isTold) {
    const splitSentence = "a release is under way, or was killed"
    return {
      state: "wrong",
      found: splitSentence,
      next: `${next}, then ${nextCommand("release rollback", place)}`,
    }
  }
  const id = "id" in version ? version.id : ""
  return { state: "ok", found: `${id} serves, and the schema fits it` }
}

async function lookAtDatabase(
  deployed: DeployedStack,
  place: StackPlace,
): Promise<Found | Found[]> {
  const files = await readMigrations(migrationsDirectory)
  // The release check reports the live version and whether the schema fits it.
  const [{ attention }, { file_size: bytes }] = await Promise.all([
    readMigrationsStatus(deployed.database, files),
    readDetails(deployed),
  ])
  const next = nextCommand("database status", place)
  const size = `${(bytes / 1e9).toFixed(2)} GB of 10`
  const full = bytes > fullAt ? [`${size} are used: read docs/scale.md`] : []
  const slow = await askSpeed(deployed)
  const wrong = [...attention, ...full].map((problem): Found => ({
    state: "wrong",
    found: problem,
    next,
  }))
  const speed: Found[] =
    slow === undefined || slow < slowFrom
      ? []
      : [
          {
            state: "wrong",
            found: `the Worker waits ${slow} ms for it, ${usualSpeed}`,
            next: bySymptom,
          },
        ]
  if (wrong.length + speed.length > 0) return [...wrong, ...speed]
  return { state: "ok", found: slow === undefined ? size : `${size}, answers in ${slow} ms` }
}

/** Milliseconds from which status reports the two queries of a deep health check. */
const slowFrom = 1000
const usualSpeed = "usually some 20"

const Deep = z.object({ database: z.object({ ms: z.number() }) })

/** Returns the fastest of three measurements (ms) by the Worker; undefined if its version does not measure. */
async function askSpeed({ address }: DeployedStack): Promise<number | undefined> {
  const times: number[] = []
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const request = { address, path: "/api/health?deep=1", headers: {}, timeout }
    const answer = await requestService(request).catch(() => undefined)
    const { data } = Deep.safeParse(parseJson(answer?.text ?? ""))
    if (data === undefined) return undefined
    times.push(data.database.ms)
  }
  return Math.min(...times)
}

const Tried = z.object({ smoke: SmokeTest })

async function lookAtSignIn(
  { stack, address }: DeployedStack,
  options: StackOptions,
  { version, deployment: live }: ReleaseStatus,
): Promise<Found | Found[]> {
  const move = live && moveOf(live)
  if (move === "standIn") return { state: "skipped", found: "the database is being restored" }
  const project = { directory: root, stack }
  const { deployment } = await openState({ engine: await engineOf(options), project })
  const last = deployment.resources.find(({ type }) => type.endsWith(":Verification"))
  const smoke = Tried.safeParse(last?.inputs).data?.smoke
  if (smoke === undefined) return { state: "skipped", found: "the stack has no SMOKE_KEY" }
  // The release check reports an unknown version.
  if (!("id" in version)) return []
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const [expected, deadline] = [version.id, Date.now() + patience]
  const { signal } = new AbortController()
  const began = performance.now()
  try {
    await trySignIn({ address, smoke, expected, deadline, log, signal })
  } catch (error) {
    // A rollback or restore left the previous version on purpose, so rolling back is no advice.
    const way = move === undefined ? `, then ${nextCommand("release rollback", options)}` : ""
    const next = `${nextCommand("release status", options)}${way}`
    return { state: "wrong", found: messageOf(error), next }
  }
  const took = ((performance.now() - began) / second).toFixed(1)
  const usual = "usually 1 to 3 s"
  return {
    state: "ok",
    found: `a test account signed up, signed in and was deleted in ${took} s, ${usual}`,
  }
}

function lookAtSecrets(place: StackPlace): Found | Found[] {
  const { stack } = place
  if (withoutFile(stack) !== undefined) {
    return { state: "skipped", found: "it has no file of its own" }
  }
  const sealed = [...sealedAt(join("environments", `Pulumi.${stack}.yaml`))]
  const oldest = new Date(Date.now() - oldAge * day)
  const old = sealed.filter(([, at]) => at < oldest)
  if (old.length === 0) return { state: "ok", found: `${sealed.length} sealed, none a year ago` }
  return old.map(([name, at]): Found => {
    const age = `${name} was sealed on ${at.toISOString().slice(0, 10)}`
    return { state: "wrong", found: age, next: renewalOf(name, place) }
  })
}

/** Returns the command that renews a secret: rotation keeps sessions, and a previous value is only removed. */
function renewalOf(name: string, place: StackPlace): string {
  const rotation = secretRotations.find(
    (secretRotation) => name === secretRotation.name || name === secretRotation.previous,
  )
  if (rotation === undefined) return setSecret(name, place.stack)
  // A rotation writes the stack file, which a trial on this machine only reads.
  if (name === rotation.name) return nextCommand("secret rotate", { ...place, local: false }, name)
  return `pulumi config rm -s ${place.stack} --path accounts:secrets.${name}`
}

/** Days without a nightly backup from which status reports it. */
const tooOld = 2

/** Reports the age of the last backup in the bucket of ACCOUNTS_BACKUPS. */
export async function lastBackup(
  { place, databaseId }: { place: StackPlace; databaseId?: string | undefined },
  location = process.env["ACCOUNTS_BACKUPS"],
): Promise<Found> {
  if (!location) return { state: "skipped", found: "ACCOUNTS_BACKUPS names no bucket" }
  const [last] = await listBackups(location, { stack: place.stack, databaseId })
  const next = nextCommand("database backup", place, '--to "$ACCOUNTS_BACKUPS"')
  if (last === undefined) return { state: "wrong", found: "there is none of its database", next }
  const days = last.age / day
  const lastSentence = `the last is of ${last.at}, ${days.toFixed(1)} days ago`
  return days > tooOld
    ? { state: "wrong", found: lastSentence, next }
    : { state: "ok", found: lastSentence }
}

const second = 1000

/** Maps the key of each sealed value to the time of its commit: sealing again changes the line. */
function sealedAt(file: string): Map<string, Date> {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" })
  if (git("rev-parse", "--is-shallow-repository").trim() === "true") {
    throw new Error("the checkout has no history: fetch it with git fetch --unshallow")
  }
  const sealTimes = new Map<string, Date>()
  let [time, key] = [0, ""]
  for (const line of git("blame", "--line-porcelain", "--", file).split("\n")) {
    time = Number(/^committer-time (\d+)$/.exec(line)?.[1] ?? time)
    const [, name, inline] = /^\t +"?([\w:.-]+)"?:(.*)$/.exec(line) ?? []
    if (name !== undefined && name !== "secure") key = name
    const isSeal = name === "secure" || inline?.includes("secure:")
    if (isSeal) sealTimes.set(key, new Date(time * second))
  }
  return sealTimes
}

/** Milliseconds. */
const timeout = 15_000

/** Returns when a host's certificate expires. @throws Error if the host presents no valid certificate */
export async function certificateUntil(url: URL, ca?: string): Promise<Date> {
  const { hostname: host, port } = url
  const socket = connect({ host, port: Number(port || 443), servername: host, timeout, ca })
  socket.on("timeout", () => socket.destroy(new Error(`no answer within ${timeout / 1000} s`)))
  try {
    await once(socket, "secureConnect")
    return new Date(socket.getPeerCertificate().valid_to)
  } finally {
    socket.destroy()
  }
}
