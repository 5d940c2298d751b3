import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"

import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { expect, test } from "vitest"
import * as z from "zod"

import { root } from "../base/root.ts"
import { engineVersion, providerVersion } from "../cli/engine/engine-environment.ts"
import { startProvider } from "../deploy/testing/provider-process.ts"
import { copyCheckout } from "./testing/checkout.ts"
import { expectNoLeak } from "./testing/secrets/secret-forms.ts"

const accountId = "0123456789abcdef0123456789abcdef"

/** Whatever the committed file has. */
const filledIn = `config:
  accounts:environment: production
  accounts:accountId: "${accountId}"
  accounts:zone: acme.io
  accounts:apiOrigin: https://api.acme.io
  accounts:webOrigin: https://app.acme.io
  accounts:cookieDomain: acme.io
  accounts:mailUrl: https://mail.acme.io/send
  accounts:secrets: { AUTH_SECRET: { secure: x } }
`

/** A proxy that notes where its clients want to go, and leads nowhere. */
async function openProxy() {
  const requests: string[] = []
  const { server, url, ...served } = await serve((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.writeHead(502).end()
  })
  server.on("connect", (request, socket) => {
    requests.push(`CONNECT ${request.url}`)
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
  })
  return {
    asked: requests,
    /** Both spellings, as programs differ in which of them they read. */
    variables: { HTTPS_PROXY: url, HTTP_PROXY: url, https_proxy: url, http_proxy: url },
    [Symbol.asyncDispose]: served[Symbol.asyncDispose],
  }
}

/** An engine that knows the outputs of a stack that is deployed. */
function writeEngine(directory: string): string {
  const path = join(directory, "pulumi")
  const stacks = JSON.stringify([{ name: "production" }])
  const outputs = JSON.stringify({ databaseId: "d", worker: "w", url: "https://api.example.com" })
  const script = `#!/bin/sh
case "$1 $2" in
  "version "*) echo v${engineVersion} ;;
  "stack ls") echo '${stacks}' ;;
  *) echo '${outputs}' ;;
esac
`
  writeFileSync(path, script, { mode: 0o755 })
  return path
}

test("commands and provider reach Cloudflare and the service through the caller's proxy, and this machine without it", async () => {
  await using proxy = await openProxy()
  await using checkout = copyCheckout({
    environment: { ...proxy.variables, CLOUDFLARE_API_TOKEN: "token" },
  })
  checkout.edit("environments/Pulumi.production.yaml", (text) =>
    text.replace(/(accountId: ).*/, `$1"${accountId}"`),
  )
  const engine = writeEngine(checkout.directory)
  const granting = ["owner", "grant", "ada@example.com", "-s", "production", "--engine", engine]
  const { code, stderr } = await checkout.run(...granting)
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^error: The database of production cannot be used: /),
  })
  expect(new Set(proxy.asked)).toEqual(new Set(["CONNECT api.cloudflare.com:443"]))

  // The provider answers at all only if its own protocol goes around the proxy.
  const baseUrl = "https://api.cloudflare.com/client/v4"
  const environment = proxy.variables
  await using provider = await startProvider({ baseUrl, token: "token", environment })
  proxy.asked.length = 0
  const release = {
    accountId,
    scriptName: "accounts-test",
    versionId: "e8f70fdb-c8b1-1f70-0f5e-7f0a1d1b1d1b",
    url: "https://api.example.com",
  }
  const smoke = { key: "k".repeat(32), origin: "https://app.example.com" }
  await expect(
    provider.create("Verification", { url: release.url, smoke }, { timeout: 3 }),
  ).rejects.toThrow(/./)
  expect(new Set(proxy.asked)).toEqual(new Set(["CONNECT api.example.com:443"]))
  proxy.asked.length = 0
  const state = {
    id: "accounts-test",
    inputs: {},
    outputs: { ...release, deploymentId: "d", steps: [100], smoke },
  }
  await expect(provider.read("Release", state)).rejects.toThrow(/./)
  expect(new Set(proxy.asked)).toEqual(new Set(["CONNECT api.cloudflare.com:443"]))
})

test.each([
  [
    "a proxy without a scheme is one of HTTP",
    (url: string) => ({ HTTPS_PROXY: new URL(url).host }),
    1,
  ],
  ["NO_PROXY=* turns proxies off", (url: string) => ({ https_proxy: url, NO_PROXY: "*" }), 0],
] as const)("%s, as for the engine", async (_what, variables, requests) => {
  await using proxy = await openProxy()
  const script = `
    import { useProxies } from ${JSON.stringify(pathToFileURL(join(root, "packages/tools/base/process-environment.ts")).href)}
    useProxies()
    await fetch("https://api.cloudflare.invalid/").catch(() => {})`
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    env: { PATH: process.env["PATH"], ...variables(proxy.variables.HTTPS_PROXY) },
  })
  expect(proxy.asked).toEqual(
    Array.from({ length: requests }, () => "CONNECT api.cloudflare.invalid:443"),
  )
})

test.each(["CLOUDFLARE_BASE_URL", "CLOUDFLARE_API_BASE_URL"])(
  "another API in %s is refused by commands and provider, and the stack's own is not",
  async (name) => {
    const baseUrl = "https://api.cloudflare.com/client/v4"
    const elsewhere = { [name]: "https://api.elsewhere.example/v4" }
    const refusal = `${name} is ${elsewhere[name]}, but this stack's API is ${baseUrl}: unset ${name}`
    await expect(startProvider({ baseUrl, environment: elsewhere })).rejects.toThrow(refusal)
    await using accepted = await startProvider({ baseUrl, environment: { [name]: `${baseUrl}/` } })
    expect(accepted.output.join("")).not.toContain(name)

    await using checkout = copyCheckout({
      environment: { ...elsewhere, CLOUDFLARE_API_TOKEN: "token" },
    })
    checkout.edit("environments/Pulumi.production.yaml", () => filledIn)
    const engine = writeEngine(checkout.directory)
    for (const verb of ["plan", "repair"]) {
      const { code, stderr } = await checkout.run(verb, "-s", "production", "--engine", engine)
      expect({ code, stderr }).toEqual({ code: 1, stderr: `error: ${refusal}\n` })
    }
  },
)

test("the official provider is looked for in the caller's Pulumi home", async () => {
  await using home = await temporaryDirectory()
  const plugin = `resource-cloudflare-v${providerVersion}`
  const installed = join(home.path, "plugins", plugin)
  mkdirSync(installed, { recursive: true })
  writeFileSync(join(installed, "pulumi-resource-cloudflare"), "#!/bin/sh\n", { mode: 0o755 })
  const environment = {
    PULUMI_HOME: home.path,
    HOME: join(home.path, "none"),
    ACCOUNTS_PROVIDER: "",
  }
  await using checkout = copyCheckout({ environment })
  const engine = writeEngine(checkout.directory)
  const listing = ["branch", "list", "--local", "--engine", engine, "--state", checkout.state]
  await checkout.succeed(...listing)
  const linked = join(checkout.state, "pulumi/official/plugins", plugin)
  expect(readFileSync(join(linked, "pulumi-resource-cloudflare"), "utf8")).toBe("#!/bin/sh\n")
  expect(existsSync(join(checkout.state, "pulumi/stand-in"))).toBe(false)
})

test.skipIf(process.getuid?.() !== 0)(
  "a user without an entry in the list of users can run commands and the engine",
  async () => {
    const main = join(import.meta.dirname, "../cli/main.js")
    const { USER: _user, HOME: _home, LOGNAME: _login, ...environment } = process.env
    const child = spawn(process.execPath, [main, "engine", "--json"], {
      uid: 54_321,
      gid: 54_321,
      env: { ...environment, ACCOUNTS_ENGINE: "/nowhere/pulumi" },
      stdio: ["ignore", "pipe", "pipe"],
    })
    const output: string[] = []
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk.toString()))
    const [code] = z.tuple([z.number(), z.null()]).parse(await once(child, "close"))
    expect({ code, stderr: output.join("") }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^error: ACCOUNTS_ENGINE: \/nowhere\/pulumi is not an exec/),
    })
  },
)

test("what the program starts does not inherit the configuration, secrets in plain text", async () => {
  const script = `
    const { program } = await import(${JSON.stringify(pathToFileURL(join(root, "infra/index.ts")).href)})
    await program().catch(() => undefined)
    const { execFileSync } = await import("node:child_process")
    process.stdout.write(execFileSync("env", { encoding: "utf8" }))`
  const canary = "canary-of-the-configuration"
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", script],
    {
      env: {
        PATH: process.env["PATH"],
        PULUMI_NODEJS_STACK: "staging",
        // As Pulumi's language host for Node passes it.
        PULUMI_CONFIG: JSON.stringify({ "accounts:secrets": `{"AUTH_SECRET":"${canary}"}` }),
      },
    },
  )
  expect(stdout).toContain("PATH=")
  expectNoLeak(stdout, { canary })
})
