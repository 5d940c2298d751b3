import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"

import * as z from "zod"

import { databaseAt } from "../owner-fixtures.ts"
import { runCommand } from "../secrets/secrets-folder.ts"
import { startSignedInLoad } from "../signed-in-load.ts"
import { openStacks, stagingShaped } from "./test-stacks.ts"

const stackName = "staging-rotated"
const gradual = { "accounts:releaseSteps": [25, 75, 100], "accounts:releaseBake": 2 }
const Released = z.object({ versionId: z.string(), databaseId: z.string() })

/** A deployed stack with gradual releases, whose secrets `./accounts secret` changes. */
export async function openRotatedStack(changes: Record<string, unknown> = {}) {
  await using opened = new AsyncDisposableStack()
  const stacks = opened.use(await openStacks())
  const local = await stacks.permanent(stackName, stagingShaped({ ...gradual, ...changes }))
  const { engine, project, cloudflare } = local
  const env = { ...process.env, ...engine.environment, ACCOUNTS_ENGINE: engine.command }
  const { databaseId } = Released.parse((await local.up()).outputs)
  const read = () => readFileSync(project.stackFile, "utf8")
  const resources = opened.move()
  return {
    edge: cloudflare.edge,
    read,
    secret: (...args: string[]) =>
      runCommand(["secret", ...args, "-s", stackName], { env, directory: project.directory }),
    /** Ends the rotation, as docs/operating.md says. */
    endRotation: () => {
      const remove = (...path: string[]) =>
        execFileSync(
          engine.command,
          ["config", "rm", ...path, "--stack", stackName, "--non-interactive"],
          { cwd: project.directory, env },
        )
      remove("--path", "accounts:secrets.AUTH_SECRET_PREVIOUS")
      remove("accounts:authSecretFrom")
    },
    /** The version that serves afterwards. */
    release: async () => Released.parse((await local.up()).outputs).versionId,
    /** Moves the time at which the new secret begins to sign, as if it had come. */
    beginAt: (time: number) =>
      writeFileSync(
        project.stackFile,
        read().replace(/(authSecretFrom: ).*/, `$1"${new Date(time).toISOString()}"`),
      ),
    /** As if each session had been renewed a week before that time. */
    expireAt: (time: number) =>
      databaseAt(cloudflare, databaseId).change(`UPDATE session SET expires_at = ${time}`),
    startLoad: () =>
      startSignedInLoad({
        api: "https://api.staging.accounts.test",
        web: "https://app.staging.accounts.test",
        connectTo: cloudflare.edge,
      }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
