import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import * as z from "zod"

import { root } from "../../../base/root.ts"
import { moveTraffic, planRollback } from "../../../cli/release/traffic-move.ts"
import { type FactorSite, openVisitor } from "../factor-visitor.ts"
import { unpackCommit } from "../former-commit.ts"
import { databaseAt } from "../owner-fixtures.ts"
import { seal } from "./stack-key.ts"
import { openDeployed, openStacks, stagingShaped } from "./test-stacks.ts"

const stackName = "staging-factors"
const worker = `accounts-${stackName}`
const Released = z.object({ versionId: z.string(), databaseId: z.string() })
const gradual = { "accounts:releaseSteps": [50, 100], "accounts:releaseBake": 5 }
const secrets = { FACTOR_SECRET: seal("f".repeat(64)) }

export type FactorStack = Awaited<ReturnType<typeof openFactorStack>>

/** A stack that a commit has brought up which knows no factor, and that this checkout releases to. */
export async function openFactorStack(revision: string) {
  await using opened = new AsyncDisposableStack()
  const formerCheckout = opened.use(await mkdtempDisposable(join(tmpdir(), "accounts-former-")))
  unpackCommit(revision, formerCheckout.path)
  const { path: state } = opened.use(await mkdtempDisposable(join(tmpdir(), "accounts-stacks-")))
  const before = await opened
    .use(await openStacks({ directory: formerCheckout.path, state }))
    .permanent(stackName, stagingShaped())
  const first = Released.parse((await before.up()).outputs)
  const now = await opened
    .use(await openStacks({ directory: root, state }))
    .permanent(stackName, stagingShaped({ ...gradual, "accounts:secrets": secrets }))
  const site: FactorSite = {
    api: "https://api.staging.accounts.test",
    web: "https://app.staging.accounts.test",
    connectTo: now.cloudflare.edge,
    worker,
  }
  const database = databaseAt(now.cloudflare, first.databaseId)
  const resources = opened.move()
  return {
    former: first.versionId,
    visit: () => openVisitor(site),
    /** Verifies all addresses, as the link of each email would. */
    proveAddresses: () =>
      database.change("UPDATE user SET email_verified = 1, unproven_since = NULL"),
    /** Lets time pass: codes of now are new, and failed attempts forgotten. */
    later: () => database.change("UPDATE second_factor SET last_step = 0; DELETE FROM attempt"),
    sessionsOf: (email: string) =>
      database.ask(
        `SELECT factor FROM session JOIN user ON user.id = user_id WHERE email = '${email}'`,
      ),
    /** By steps. @returns the version that serves afterwards */
    async release() {
      return Released.parse((await now.up()).outputs).versionId
    },
    /** Both serve, as within a release. */
    split: (a: string, b: string) =>
      now.account.deploy(worker, { [a]: 50, [b]: 50 }, "both serve", { force: true }),
    /** By force, as Cloudflare demands where a secret is new. */
    async rollBack() {
      await using deployed = await openDeployed(now)
      const move = await planRollback(deployed, first.versionId)
      const log = { info: () => {}, warn: () => {} }
      const { signal } = new AbortController()
      await moveTraffic(deployed, move, { patience: 60_000, force: true, log, signal })
    },
    shares: async () => (await now.account.deployments(worker))[0]?.shares,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
