import { spawn } from "node:child_process"
import { join } from "node:path"
import { text } from "node:stream/consumers"

import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { Command } from "commander"
import { afterEach, expect, test, vi } from "vitest"
import { stringify } from "yaml"

import { withStack } from "../cli/command-options.ts"
import { findEngine } from "../cli/engine/engine.ts"
import { copyCheckout } from "./testing/checkout.ts"
import { keySettings, seal } from "./testing/stacks/stack-key.ts"
import { stagingShaped } from "./testing/stacks/test-stacks.ts"

afterEach(() => vi.unstubAllEnvs())

const variable = "PULUMI_DEFAULT_ORGANIZATION"

/** The name and the organisation that a command sees. */
async function parse(stack: string, backend = "") {
  vi.stubEnv(variable, undefined)
  vi.stubEnv("PULUMI_BACKEND_URL", backend)
  const parsedStacks: unknown[] = []
  const command = withStack(new Command("up"))
    .option("--local")
    .action(
      (flags: { stack: string }) => void parsedStacks.push(flags.stack, process.env[variable]),
    )
  await command.parseAsync(["-s", ...stack.split(" ")], { from: "user" })
  return parsedStacks
}

test.each([
  ["production", ["production", undefined]],
  ["acme/production", ["production", "acme"]],
  ["acme/accounts/production", ["production", "acme"]],
])("-s %s is the stack of its last part", async (stack, expected) => {
  expect(await parse(stack)).toEqual(expected)
})

test.each([
  ["acme/shop/production", "", "is a stack of the project shop"],
  ["acme/", "", "organisation/stack"],
  ["a/b/c/d", "", "organisation/stack"],
  ["acme/local", "", "on this machine"],
  ["acme/preview-x --local", "", "on this machine"],
  ["acme/production", "s3://state", "s3: has no organisations"],
])("-s %s is refused (with the backend %j)", async (stack, backend, reason) => {
  await expect(parse(stack, backend)).rejects.toThrow(reason)
})

test("a bucket takes the one organisation that it has", async () => {
  expect(await parse("organization/accounts/production", "s3://state")).toEqual([
    "production",
    undefined,
  ])
})

test.each([
  [["plan", "-s", "acme/staging"]],
  [["release", "status", "-s", "acme/accounts/staging"]],
  [["repair", "-s", "acme/staging"]],
  [["database", "status", "-s", "acme/staging"]],
])("the engine asks Pulumi Cloud for the organisation's stack: %j", async (args) => {
  await using home = await temporaryDirectory()
  await using checkout = copyCheckout()
  const config = stagingShaped({
    "cloudflare:baseUrl": "http://127.0.0.1:9/client/v4",
    "accounts:secrets": { AUTH_SECRET: seal("s".repeat(64)) },
  })
  checkout.write("environments/Pulumi.staging.yaml", stringify({ ...keySettings, config }))
  const paths: string[] = []
  await using cloud = await serve(({ url = "" }, response) => {
    paths.push(url.replace(/\?.*/, ""))
    const answers: Record<string, unknown> = {
      "/api/user": { githubLogin: "ada", name: "Ada", organizations: [{ githubLogin: "acme" }] },
      "/api/capabilities": { capabilities: [] },
      "/api/user/stacks": {
        stacks: [{ orgName: "acme", projectName: "accounts", stackName: "staging" }],
      },
    }
    const answer = answers[url.replace(/\?.*/, "")]
    response.writeHead(answer ? 200 : 404, { "content-type": "application/json" })
    response.end(JSON.stringify(answer ?? { code: 404, message: "Not Found" }))
  })
  const { command } = await findEngine({})
  const child = spawn(
    process.execPath,
    [join(checkout.directory, "packages/tools/cli/main.js"), ...args, "--engine", command],
    {
      cwd: checkout.directory,
      env: {
        ...process.env,
        PULUMI_HOME: home.path,
        PULUMI_BACKEND_URL: cloud.url,
        PULUMI_ACCESS_TOKEN: "pul-0123456789",
        CLOUDFLARE_API_TOKEN: "a-token",
      },
    },
  )
  const errorText = await text(child.stderr)
  expect(paths, errorText).toContain("/api/stacks/acme/accounts/staging")
})
