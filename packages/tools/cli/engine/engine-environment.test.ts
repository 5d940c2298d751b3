import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { expectNoLeak } from "../../tests/testing/secrets/secret-forms.ts"
import { userEnvironment, localEnvironment, shellLines } from "./engine-environment.ts"
import { createMachine } from "./testing/machine.ts"

const canary = 'canary-7f3a-of a "real" account&=+'

const caller = {
  PATH: "/usr/bin:/bin",
  HOME: "/home/someone",
  CLOUDFLARE_API_TOKEN: canary,
  CLOUDFLARE_API_KEY: canary,
  CLOUDFLARE_EMAIL: canary,
  CF_API_TOKEN: canary,
  PULUMI_ACCESS_TOKEN: canary,
  PULUMI_STACK: "production",
  PULUMI_CONFIG_PASSPHRASE: canary,
  PULUMI_CONFIG_PASSPHRASE_FILE: canary,
  PULUMI_BACKEND_URL: "s3://production",
  VAULT_ADDR: "https://vault.example.com",
  VAULT_TOKEN: canary,
}

function local(overrides: { token?: string; state?: string; env?: NodeJS.ProcessEnv } = {}) {
  return localEnvironment({
    state: "/repository/.local",
    home: "/repository/.local/pulumi/stand-in",
    engine: "/cache/bin/pulumi",
    token: "local-token",
    accountId: "local-account",
    api: "http://127.0.0.1:8790/client/v4",
    repository: "/repository",
    env: caller,
    ...overrides,
  })
}

test("a local stack's environment takes nothing from the caller but PATH", () => {
  expect(local()).toEqual({
    PATH: "/cache/bin:/repository/node_modules/.bin:/usr/bin:/bin",
    PULUMI_HOME: "/repository/.local/pulumi/stand-in",
    PULUMI_BACKEND_URL: "file:///repository/.local/pulumi/state?metadata=skip",
    VAULT_SERVER_URL: "http://127.0.0.1:8790/local/key-service",
    PULUMI_CONFIG_PASSPHRASE: "local",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "1",
    PULUMI_IGNORE_AMBIENT_PLUGINS: "1",
    CLOUDFLARE_API_TOKEN: "local-token",
    CLOUDFLARE_ACCOUNT_ID: "local-account",
    CLOUDFLARE_BASE_URL: "http://127.0.0.1:8790/client/v4",
  })
})

test("a state directory with a space is a URL that Pulumi can read", () => {
  expect(local({ state: "/my state/100%" })["PULUMI_BACKEND_URL"]).toBe(
    "file:///my%20state/100%25/pulumi/state?metadata=skip",
  )
})

test("PATH does not grow when the lines are evaluated again", () => {
  const { PATH } = local()
  expect(local({ env: { ...caller, PATH } })["PATH"]).toBe(PATH)
})

test("in a real shell the lines set the local values and unset the caller's", () => {
  const lines = shellLines(local(), caller)
  expectNoLeak(lines, { canary })
  const { stdout, status } = spawnSync("/bin/sh", ["-c", `eval "$1" && env`, "sh", lines], {
    env: caller,
    encoding: "utf8",
  })
  expect(status).toBe(0)
  expectNoLeak(stdout, { canary })
  const after = Object.fromEntries(
    stdout.split("\n").map((line) => [line.split("=")[0], line.slice(line.indexOf("=") + 1)]),
  )
  expect(after).toMatchObject(local())
  expect(after).toMatchObject({ HOME: caller.HOME })
  for (const name of [
    "PULUMI_STACK",
    "PULUMI_ACCESS_TOKEN",
    "CLOUDFLARE_API_KEY",
    "CF_API_TOKEN",
    "VAULT_ADDR",
    "VAULT_TOKEN",
  ]) {
    expect(after).not.toHaveProperty(name)
  }
})

test("neither a value nor a name can make the shell run something", async () => {
  await using machine = createMachine()
  const file = join(machine.directory, "ran")
  const token = `'; touch ${file}; $(touch ${file}) \`touch ${file}\` "\n`
  const env = { ...caller, [`CF_X; touch ${file};`]: "1", [`CF_$(touch ${file})`]: "1" }
  const lines = shellLines(local({ token }), env)
  const { stdout } = spawnSync(
    "/bin/sh",
    ["-c", `eval "$1" && printf %s "$CLOUDFLARE_API_TOKEN"`, "sh", lines],
    { env, encoding: "utf8" },
  )
  expect(stdout).toBe(token)
  expect(existsSync(file)).toBe(false)
})

test("a stack at Cloudflare keeps the caller's backend, secrets and credentials", () => {
  const values = userEnvironment({
    engine: "/cache/bin/pulumi",
    repository: "/repository",
    env: caller,
  })
  expect(values).toEqual({
    PATH: "/cache/bin:/repository/node_modules/.bin:/usr/bin:/bin",
    PULUMI_SKIP_UPDATE_CHECK: "1",
  })
})
