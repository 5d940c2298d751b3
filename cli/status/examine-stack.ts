import { basename, join } from "node:path"

import { readMigrationsStatus } from "@accounts/d1-migrations"

import { messageOf } from "../../base/failure.ts"
import { migrationsDirectory } from "../../base/root.ts"
import { checkEnvironments } from "../../infra/environment/check.ts"
import { environmentsDirectory } from "../../infra/environment/committed.ts"
import { findStale } from "../../infra/environment/effective/stale.ts"
import { describeFinding } from "../../infra/environment/rules/judge.ts"
import { readMigrations } from "../../provider/migrations/own-names.ts"
import { trySignIn } from "../../provider/release/sign-in-trial.ts"
import { readDetails } from "../database/d1-account.ts"
import { readPlan } from "../plan/read-plan.ts"
import { readReleaseStatus, type ReleaseStatus } from "../release/release-status.ts"
import {
  type DeployedStack,
  engineOf,
  openDeployedStack,
  type StackOptions,
} from "../stack/deployed-stack.ts"
import { openByName } from "../stack/open-by-name.ts"
import { tokenExpiry } from "../token-expiry.ts"
import { backupFinding } from "./backup-finding.ts"
import { certificateUntil } from "./certificate.ts"
import { type Finding, type Look, needsAttention } from "./finding.ts"
import { planFindings } from "./plan-findings.ts"
import { sealedAt } from "./secret-age.ts"
import { storedSmokeTest } from "./stored-smoke-test.ts"
import { untilFinding } from "./until-finding.ts"

const day = 86_400_000

/** Days of the age of a secret from which somebody is told. */
const oldAge = 365

/** Of D1's 10 GB (https://developers.cloudflare.com/d1/platform/limits/): time left to read docs/scale.md. */
const fullAt = 8e9

/** Milliseconds in which a sign-in has to work. */
const patience = 60_000

/**
 * Looks at a deployed environment from all sides. Each look stands for itself: one that fails is
 * `unknown`, and hides no other. It changes nothing but for the account of a sign-in trial, which goes again.
 */
export async function examineStack(options: StackOptions): Promise<Finding[]> {
  const { stack } = options
  const file = await look("stack file", () => fileFindings(stack))
  const secrets = await look("secrets", async () => secretFindings(stack))
  const backup = await look("backup", async () => [await backupFinding(stack)])
  const deployable = !file.some(needsAttention)
  const account = await look("account", async () => {
    await using deployed = await openDeployedStack(options)
    return await accountFindings(deployed, options, deployable)
  })
  return [...file, ...account, ...secrets, ...backup]
}

/** What cannot be reached without them, which is said once. */
const reaches = /^drift: (?:Worker|WorkersCustomDomain) /

async function accountFindings(
  deployed: DeployedStack,
  options: StackOptions,
  deployable: boolean,
): Promise<Finding[]> {
  const planned = await look("plan", async () => {
    await using opened = await openByName(deployed.stack, options)
    return planFindings(await readPlan(opened.stack, { diff: false }), deployable)
  })
  const unreachable = planned.some(({ what, found }) => reaches.test(what) && found === "gone")
  const databaseIsGone = planned.some(
    ({ what, found }) => what.startsWith("drift: D1Database ") && found === "gone",
  )
  const looks: Record<string, Look> = {
    ...(!unreachable &&
      !databaseIsGone && {
        release: async () => {
          const status = await readReleaseStatus(deployed)
          const signIn = await look("sign-in", () => signInFindings(deployed, options, status))
          return [...releaseFindings(status, deployed.stack, planned), ...signIn]
        },
      }),
    ...(!databaseIsGone && { database: () => databaseFindings(deployed) }),
    certificate: () => certificateFindings(deployed),
    token: () => tokenFindings(deployed),
  }
  const asked = Object.entries(looks).map(([what, one]) => look(what, one))
  return [planned, ...(await Promise.all(asked))].flat()
}

async function look(what: string, one: Look): Promise<Finding[]> {
  try {
    return await one()
  } catch (error) {
    return [{ what, state: "unknown", found: messageOf(error) }]
  }
}

async function fileFindings(stack: string): Promise<Finding[]> {
  const refused = checkEnvironments(environmentsDirectory, { label: "environments" })
    .filter((checked) => checked.stack === stack)
    .flatMap((checked) => checked.refused)
  const stale = (await findStale(environmentsDirectory)).filter(
    ({ path }) => basename(path) === `${stack}.effective.yaml`,
  )
  const what = "stack file"
  const next = "./accounts environment check"
  if (refused.length + stale.length === 0) {
    return [{ what, state: "ok", found: "in order, and as reviewers have seen it" }]
  }
  return [
    ...refused.map((one): Finding => ({ what, state: "wrong", found: describeFinding(one), next })),
    ...stale.map(({ diff }): Finding => {
      const found = `is not what its effective file says:\n${diff}`
      return { what, state: "wrong", found, next: "./accounts environment render" }
    }),
  ]
}

function releaseFindings(status: ReleaseStatus, stack: string, planned: Finding[]): Finding[] {
  const { attention, version, deployment } = status
  const next = `./accounts release status -s ${stack}`
  if (attention !== undefined) return [{ what: "release", state: "wrong", found: attention, next }]
  const parts = deployment?.split.length ?? 0
  if (parts > 1 && !planned.some(({ what }) => what.startsWith("drift: Release "))) {
    const found = "a release is under way, or was killed"
    return [
      { what: "release", state: "wrong", found, next: `${next}, then release finish or cancel` },
    ]
  }
  const id = "id" in version ? version.id : ""
  return [{ what: "release", state: "ok", found: `${id} serves, and the schema fits it` }]
}

async function databaseFindings(deployed: DeployedStack): Promise<Finding[]> {
  const files = await readMigrations(migrationsDirectory)
  // What serves, and whether the schema fits it, is said by the release.
  const [{ attention }, { file_size: bytes }] = await Promise.all([
    readMigrationsStatus(deployed.database, files),
    readDetails(deployed),
  ])
  const next = `./accounts database status -s ${deployed.stack}`
  const size = `${(bytes / 1e9).toFixed(2)} GB of 10`
  const full = bytes > fullAt ? [`${size} are used: read docs/scale.md`] : []
  const wrong = [...attention, ...full]
  if (wrong.length === 0) return [{ what: "database", state: "ok", found: size }]
  return wrong.map((found) => ({ what: "database", state: "wrong", found, next }))
}

async function signInFindings(
  deployed: DeployedStack,
  options: StackOptions,
  { version }: ReleaseStatus,
): Promise<Finding[]> {
  const smoke = await storedSmokeTest(await engineOf(options), deployed.stack)
  if (smoke === undefined) {
    return [{ what: "sign-in", state: "skipped", found: "the stack has no SMOKE_KEY" }]
  }
  // Said by the release.
  if (!("id" in version)) return []
  const silent = { info: () => {}, warn: () => {}, error: () => {} }
  const { address } = deployed
  const [expected, deadline] = [version.id, Date.now() + patience]
  const { signal } = new AbortController()
  try {
    await trySignIn({ address, smoke, expected, deadline, log: silent, signal })
  } catch (error) {
    const next = `./accounts release status -s ${deployed.stack}, then release rollback`
    return [{ what: "sign-in", state: "wrong", found: messageOf(error), next }]
  }
  return [{ what: "sign-in", state: "ok", found: "somebody signed up, signed in and was deleted" }]
}

async function certificateFindings({ address }: DeployedStack): Promise<Finding[]> {
  const url = new URL(address.url)
  if (url.protocol === "http:" || address.connectTo !== undefined) {
    return [{ what: "certificate", state: "skipped", found: "the stack is on this machine" }]
  }
  return [untilFinding("certificate", await certificateUntil(url))]
}

async function tokenFindings(deployed: DeployedStack): Promise<Finding[]> {
  return [untilFinding("token", await tokenExpiry(deployed))]
}

function secretFindings(stack: string): Finding[] {
  const sealed = [...sealedAt(join("environments", `Pulumi.${stack}.yaml`))]
  const oldest = new Date(Date.now() - oldAge * day)
  const old = sealed.filter(([, at]) => at < oldest)
  if (old.length === 0) {
    return [{ what: "secrets", state: "ok", found: `${sealed.length} sealed, none a year ago` }]
  }
  return old.map(([name, at]): Finding => {
    const found = `${name} was sealed on ${at.toISOString().slice(0, 10)}`
    const next =
      name === "AUTH_SECRET"
        ? `./accounts secret rotate -s ${stack}`
        : `./accounts secret set ${name} -s ${stack}`
    return { what: "secrets", state: "wrong", found, next }
  })
}
