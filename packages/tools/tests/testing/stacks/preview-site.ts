import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

import { stringify } from "yaml"

import type { LocalCloudflare } from "../../../cli/process/local-cloudflare.ts"
import { openAccount } from "../../../deploy/testing/account.ts"
import { copyCheckout, type Checkout } from "../checkout.ts"
import { commit, git } from "../commit.ts"
import { readShellValues } from "../engine/pulumi-cli.ts"
import { importFrom } from "../import-from.ts"

export type PreviewSite = Awaited<ReturnType<typeof openPreviewSite>>

/**
 * An account for previews and a remote with branches, as checkouts on several machines see them. Each has
 * the backend that it names.
 */
export async function openPreviewSite() {
  await using opened = new AsyncDisposableStack()
  const owner: Checkout = opened.use(copyCheckout())
  const { joinOrStart } = await importFrom(owner, "cli/process/local-cloudflare.ts")
  const ports = { apiPort: 0, port: 0 }
  const cloudflare: LocalCloudflare = await joinOrStart({ state: owner.state, ...ports })
  opened.defer(() => cloudflare.stop())
  const values = await readShellValues(owner)
  const remote = join(owner.directory, "remote.git")
  git(owner.directory, "clone", "--quiet", "--bare", ".", remote)
  const inRemote = (...args: string[]) => git(owner.directory, "--git-dir", remote, ...args)
  const resources = opened.move()

  const backendOf = (name: string) => join(owner.directory, "backends", name)

  return {
    cloudflare,
    account: openAccount(cloudflare),
    /** A clone on a machine of its own, with a backend: a directory, or a URL. */
    openMachine(backend: string, environment: NodeJS.ProcessEnv = {}): Checkout {
      const directory = backendOf(backend)
      if (!backend.includes("://")) mkdirSync(directory, { recursive: true })
      const url = backend.includes("://") ? backend : pathToFileURL(directory).href
      const previewEnvironment = {
        ...values,
        PULUMI_BACKEND_URL: url,
        PULUMI_CONFIG_PASSPHRASE: "a passphrase of the tests",
        GITHUB_HEAD_REF: "",
        ...environment,
      }
      const machine = resources.use(copyCheckout({ environment: previewEnvironment }))
      machine.write("environments/preview.yaml", stringify({ config: configuration(cloudflare) }))
      commit(machine.directory, "Fill in the template")
      git(machine.directory, "remote", "add", "origin", remote)
      return machine
    },
    push: (branch: string) => inRemote("branch", "--force", branch, "main"),
    remove: (branch: string) => inRemote("branch", "-D", branch),
    /** Directory of a backend. */
    backend: backendOf,
    /** Removes the stack from the backend, like a bucket that was swept. */
    loseState(backend: string, stack: string): void {
      const folder = join(backendOf(backend), ".pulumi/stacks/accounts")
      for (const file of readdirSync(folder)) {
        if (file.startsWith(`${stack}.`)) rmSync(join(folder, file))
      }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function configuration(cloudflare: LocalCloudflare) {
  return {
    "cloudflare:baseUrl": cloudflare.api,
    "accounts:environment": "preview",
    "accounts:accountId": cloudflare.accountId,
    "accounts:zone": "accounts.test",
    "accounts:apiOrigin": "https://api-{branch}.preview.accounts.test",
    "accounts:webOrigin": "https://web-{branch}.preview.accounts.test",
    "accounts:location": "weur",
    "accounts:connectTo": cloudflare.edge,
  }
}
