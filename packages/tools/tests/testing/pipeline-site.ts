import { execFile, execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"

import { generateIdentity, identityToRecipient } from "age-encryption"
import { stringify } from "yaml"

import { root } from "../../base/root.ts"
import { findEngine } from "../../cli/engine/engine.ts"
import { preparePulumiHome } from "../../cli/engine/pulumi-home.ts"
import { joinOrStart } from "../../cli/process/local-cloudflare.ts"
import { type Checkout, copyCheckout } from "./checkout.ts"
import { writePulumiShim } from "./engine/pulumi-shim.ts"
import { openGitServer } from "./git-server.ts"
import { openIssues } from "./kept-issues.ts"
import { openGitHubPipeline, type Pipeline } from "./pipelines.ts"
import { startS3 } from "./s3-server.ts"
import { stagingShaped } from "./stacks/test-stacks.ts"

const execute = promisify(execFile)

export const sealed = "sealed-canary-0123456789abcdef0123456789abcdef"

/** Token that a pipeline gives to each job. */
export const jobToken = "job-canary-0123456789abcdef"

export const crons = ["23 * * * *"]

/** An account, a bucket, a repository, and stacks that their owner has created there, for a pipeline to deploy. */
export async function openPipelineSite() {
  await using started = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), "accounts-workflows-"))
  started.defer(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  const remote = started.use(await openGitServer(jobToken))
  const bucket = started.use(await startS3("state"))
  const backups = await bucket.beside("backups")
  const cloudflare = await joinOrStart({ state: join(directory, "account"), apiPort: 0, port: 0 })
  started.defer(() => cloudflare.stop())
  const { command } = await findEngine({ onProgress: () => {} })
  const { home } = await preparePulumiHome({
    root: join(directory, "home"),
    choice: process.env["ACCOUNTS_PROVIDER"],
    baseUrl: cloudflare.api,
    engine: command,
  })
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "",
    TMPDIR: tmpdir(),
    CI: "true",
    // Compiled code alone, of modules that a clone has as well.
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
    PULUMI_HOME: home,
    PULUMI_SKIP_UPDATE_CHECK: "1",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "1",
    PULUMI_IGNORE_AMBIENT_PLUGINS: "1",
  }
  const hosting = join(directory, "hosting")
  await writePulumiShim(hosting, command)
  // The clones have their modules already.
  const npm = `#!/bin/sh\n[ "$*" = ci ] || [ "$*" = "ci --ignore-scripts" ]\n`
  writeFileSync(join(directory, "npm"), npm, { mode: 0o755 })
  const credentials = {
    PULUMI_BACKEND_URL: `s3://state?endpoint=${bucket.url}&region=auto&s3ForcePathStyle=true`,
    PULUMI_CONFIG_PASSPHRASE: "a passphrase of the tests",
    AWS_ACCESS_KEY_ID: "a-key",
    AWS_SECRET_ACCESS_KEY: "its-secret",
  }
  const identity = await generateIdentity()
  const ofJobs = {
    ...credentials,
    CLOUDFLARE_API_TOKEN: cloudflare.token,
    ACCOUNTS_BACKUPS: `s3://backups?endpoint=${bucket.url}`,
    ACCOUNTS_BACKUPS_ACCESS_KEY_ID: "a-key",
    ACCOUNTS_BACKUPS_SECRET_ACCESS_KEY: "its-secret",
    ACCOUNTS_BACKUPS_RECIPIENTS: await identityToRecipient(identity),
    ACCOUNTS_BACKUPS_IDENTITY: identity,
  }
  const issues = started.use(await openIssues())
  const pipeline = openGitHubPipeline(directory, ofJobs, jobToken)
  const owner = started.use(copyCheckout())
  /** Runs in the owner's shell. */
  const pulumi = async (...args: string[]) => {
    const env = {
      ...environment,
      ...credentials,
      PATH: [hosting, environment.PATH].join(delimiter),
    }
    return (await execute("pulumi", args, { cwd: owner.directory, env })).stdout
  }
  const initializeStack = (stack: string) => pulumi("stack", "init", stack, "--non-interactive")
  const shared = { "cloudflare:baseUrl": cloudflare.api, "accounts:connectTo": cloudflare.edge }
  // The owner's step of the README, once for each stack.
  for (const stack of ["staging", "production"] as const) {
    const { "accounts:secrets": _, ...config } = stagingShaped({
      ...shared,
      "accounts:environment": stack,
      "accounts:crons": crons,
      ...(stack === "production" ? productionHosts : {}),
    })
    writeFileSync(stackFile(owner, stack), stringify({ config }))
    await initializeStack(stack)
    const path = "accounts:secrets.AUTH_SECRET"
    await pulumi("config", "set", "-s", stack, "--secret", "--path", path, "--", sealed)
  }
  const config = {
    ...shared,
    "accounts:environment": "preview",
    "accounts:accountId": cloudflare.accountId,
    "accounts:zone": "accounts.test",
    "accounts:apiOrigin": "https://api-{branch}.preview.accounts.test",
    "accounts:webOrigin": "https://web-{branch}.preview.accounts.test",
  }
  writeFileSync(previewTemplate(owner), stringify({ config }))

  /** On a machine that has nothing but a clone of what the owner committed. */
  async function run(...[name, input]: [Name, Input?]) {
    await using clone = copyCheckout()
    for (const folder of [".github", ".ci"]) {
      cpSync(join(root, folder), join(clone.directory, folder), { recursive: true })
    }
    execFileSync("git", ["remote", "add", "origin", remote.url], { cwd: clone.directory })
    cpSync(previewTemplate(owner), previewTemplate(clone))
    for (const stack of ["staging", "production"]) {
      cpSync(stackFile(owner, stack), stackFile(clone, stack))
    }
    const path = [...(name === "drift" ? [issues.directory] : []), directory]
    const machine = { clone: clone.directory, environment, path, hosting }
    return await pipeline.run(name, machine, input)
  }
  const disposal = started.move()
  return {
    cloudflare,
    bucket,
    backups,
    issues,
    remote,
    pipeline,
    directory,
    pulumi,
    initializeStack,
    run,
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}

type Name = Parameters<Pipeline["run"]>[0]
type Input = Parameters<Pipeline["run"]>[2]

const productionHosts = {
  "accounts:apiOrigin": "https://api.accounts.test",
  "accounts:webOrigin": "https://app.accounts.test",
  "accounts:cookieDomain": "accounts.test",
  "accounts:trustedOrigins": ["https://app.accounts.test", "https://api.accounts.test"],
}

function previewTemplate({ directory }: Checkout): string {
  return join(directory, "environments", "preview.yaml")
}

function stackFile({ directory }: Checkout, stack: string): string {
  return join(directory, "environments", `Pulumi.${stack}.yaml`)
}
