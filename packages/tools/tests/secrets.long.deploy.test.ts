import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"
import * as z from "zod"

import { root } from "../base/root.ts"
import { readTree } from "./testing/read-tree.ts"
import { openKeyService } from "./testing/secrets/key-service.ts"
import { expectNoLeak } from "./testing/secrets/secret-forms.ts"
import { openSecretsFolder, runCommand } from "./testing/secrets/secrets-folder.ts"
import { fillInFolder, planStaging } from "./testing/stacks/plan-staging.ts"

const day = 24 * 60 * 60 * 1000
const strong = "0123456789abcdefghijklmnopqrstuvwxyz"

const Checked = z.object({
  environments: z.array(
    z.object({
      stack: z.string(),
      refused: z.array(z.object({ rule: z.string(), key: z.string() })),
    }),
  ),
  unchecked: z.array(z.object({ stack: z.string(), why: z.string() })),
})

test("a secret is sealed, rotated and examined; no value shows anywhere, and nothing is left behind", async () => {
  using folder = await openSecretsFolder()
  const values = { AUTH_SECRET: strong, MAIL_SECRET: "the-token-of-the-mail-service-0123456789" }
  const original = folder.read("staging")
  for (const [name, value] of Object.entries(values)) await folder.seal("staging", name, value)
  expect(await folder.open("staging")).toEqual(values)
  const before = folder.read("staging")
  // Pulumi adds its lines to a committed file and leaves the others as they are.
  const lines = before.split("\n")
  expect(original.split("\n").filter((line) => !lines.includes(line))).toEqual([])

  const rotated = await folder.run(["secret", "rotate", "AUTH_SECRET", "-s", "staging"])
  expect(rotated).toMatchObject({ code: 0 })
  const second = await folder.open("staging")
  expect(second).toMatchObject({
    ...values,
    AUTH_SECRET_PREVIOUS: strong,
    AUTH_SECRET: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  // The former seal moves as it is, and the comments stay.
  const seal = /AUTH_SECRET:\n +secure: (\S+)/.exec(before)?.[1] ?? "none"
  expect(folder.read("staging")).toContain(`AUTH_SECRET_PREVIOUS:\n      secure: ${seal}`)
  expect(folder.read("staging").split("\n").slice(0, 4)).toEqual(lines.slice(0, 4))
  const effective = readFileSync(join(folder.environments, "staging.effective.yaml"), "utf8")
  expect(effective).toMatch(/AUTH_SECRET: sealed in .*, signs from \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
  expect(effective).toMatch(/AUTH_SECRET_PREVIOUS: sealed in .*, accepted until /)

  const files = readTree(join(folder.environments, ".."))
  expect(files).toContain("AUTH_SECRET_PREVIOUS")
  for (const secrets of [values, second]) expectNoLeak(files + rotated.all, secrets)
  expect(readdirSync(folder.temporary)).toEqual([])
  expect(readdirSync(folder.environments).toSorted()).toEqual([
    "Pulumi.production.yaml",
    "Pulumi.staging.yaml",
    "staging.effective.yaml",
  ])
})

test.each([
  { name: "AUTH_SECRET", key: "authSecretFrom", lasts: 7 * day },
  { name: "FACTOR_SECRET", key: "factorSecretFrom", lasts: day },
])(
  "a second rotation of $name inside the overlap is refused with its date, and goes after it; the check says when it ends",
  async ({ name, key, lasts }) => {
    using service = await openKeyService()
    using folder = await openSecretsFolder(service)
    for (const secretName of ["AUTH_SECRET", "FACTOR_SECRET"]) {
      await folder.seal("staging", secretName, `${secretName}-${strong}`)
    }
    const rotate = ["secret", "rotate", name, "-s", "staging"]
    const rotated = await folder.run([...rotate, "--in", "2", "--json"])
    const { from, until } = z
      .object({ from: z.string(), until: z.string() })
      .parse(JSON.parse(rotated.stdout))
    expect(Date.parse(until) - Date.parse(from)).toBe(lasts)
    const text = folder.read("staging")
    expect(await folder.run(rotate)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(until.slice(0, 10)),
    })
    expect(folder.read("staging")).toBe(text)
    const check = ["environment", "check", "--secrets"]
    expect((await folder.run(check)).stdout).toContain(`${name}_PREVIOUS is needed until`)

    const past = new Date(Date.now() - lasts - 60_000).toISOString()
    folder.edit("staging", (now) => now.replace(new RegExp(`(${key}: ).*`), `$1"${past}"`))
    const way = `pulumi config rm -s staging --path accounts:secrets.${name}_PREVIOUS && pulumi config rm -s staging accounts:${key}`
    expect((await folder.run(check)).stdout).toContain(way)
    const previous = (await folder.open("staging"))[name]
    expect(await folder.run(rotate)).toMatchObject({ code: 0 })
    expect((await folder.open("staging"))[`${name}_PREVIOUS`]).toBe(previous)
    const stackArgs = [
      "--stack",
      "staging",
      "--config-file",
      join(folder.environments, "Pulumi.staging.yaml"),
    ]
    await folder.pulumi("config", "rm", "--path", `accounts:secrets.${name}_PREVIOUS`, ...stackArgs)
    await folder.pulumi("config", "rm", `accounts:${key}`, ...stackArgs)
    expect(Object.keys(await folder.open("staging")).toSorted()).toEqual([
      "AUTH_SECRET",
      "FACTOR_SECRET",
    ])
    expect(folder.read("staging")).not.toContain(key)
  },
)

test("the check names what is missing, too many, in clear, weak and equal, and what it cannot know", async () => {
  using folder = await openSecretsFolder()
  fillInFolder(folder)
  const checkSecrets = async (env = {}) => {
    const { stdout } = await folder.run(["environment", "check", "--secrets", "--json"], env)
    const { environments, unchecked } = Checked.parse(JSON.parse(stdout))
    const secrets = environments.flatMap(({ stack, refused }) =>
      refused
        .filter(({ key }) => key.startsWith("accounts:secrets."))
        .map(({ rule, key }) => `${stack} ${rule} ${key.split(".").at(-1)}`),
    )
    return { secrets: secrets.toSorted(), unchecked: unchecked.map(({ stack }) => stack) }
  }
  const missing = {
    secrets: ["production R39 AUTH_SECRET", "staging R39 AUTH_SECRET"],
    unchecked: [],
  }
  expect(await checkSecrets()).toEqual(missing)
  for (const stack of ["staging", "production"]) await folder.seal(stack, "AUTH_SECRET", strong)
  await folder.seal("production", "MAIL_SECRET", "<the token of the service>")
  folder.edit("staging", (text) =>
    text.replace(
      "  accounts:secrets:\n",
      "  accounts:secrets:\n    MAIL_SECRET: in-the-clear\n    AUTH_SECRT: { secure: v1:eA:FFFF }\n",
    ),
  )
  const offline = ["staging R37 MAIL_SECRET", "staging R38 AUTH_SECRT"]
  const locked = await checkSecrets({ PULUMI_CONFIG_PASSPHRASE: "another passphrase" })
  expect(locked).toEqual({ secrets: offline, unchecked: ["production", "staging"] })
  folder.edit("staging", (text) => text.replace(/ +AUTH_SECRT.*\n/, ""))
  expect((await checkSecrets()).secrets).toEqual([
    "production R40 MAIL_SECRET",
    "production R41 AUTH_SECRET",
    "staging R37 MAIL_SECRET",
    "staging R41 AUTH_SECRET",
  ])
})

test("what cannot be rotated is refused, and a value on the command line is not repeated", async () => {
  using service = await openKeyService()
  using folder = await openSecretsFolder(service)
  const text = folder.read("staging")
  const canary = "canary-0123456789abcdef0123456789abcdef"
  const refused: [string[], number, RegExp][] = [
    [["AUTH_SECRET", canary], 2, /is no argument/],
    [[`AUTH_SECRET=${canary}`], 2, /is no argument/],
    [[canary], 2, /That has no overlap/],
    [["MAIL_SECRET"], 2, /AUTH_SECRET and FACTOR_SECRET have one/],
    [["AUTH_SECRET"], 1, /has no sealed AUTH_SECRET/],
  ]
  for (const [args, code, message] of refused) {
    const ran = await folder.run(["secret", "rotate", ...args, "-s", "staging"])
    expect({ args, ...ran }).toMatchObject({ code, stderr: expect.stringMatching(message) })
    expectNoLeak(ran.all, { canary })
  }
  const local = ["secret", "rotate", "AUTH_SECRET", "-s", "local", "--state", folder.temporary]
  const site = { directory: join(root, "environments"), env: folder.variables }
  expect((await runCommand(local, site)).stderr).toMatch(
    /no sealed AUTH_SECRET|has the key of local/,
  )
  expect(folder.read("staging")).toBe(text)
})

test("a rotation that is killed half-way leaves the file whole", async () => {
  using service = await openKeyService()
  using folder = await openSecretsFolder(service)
  await folder.seal("staging", "AUTH_SECRET", strong)
  const killed = folder.start("secret", "rotate", "AUTH_SECRET", "-s", "staging")
  const text = folder.read("staging")
  await expect.poll(() => readdirSync(folder.temporary).length, { timeout: 120_000 }).toBe(1)
  killed.kill("SIGKILL")
  await new Promise((resolve) => killed.once("close", resolve))
  expect(folder.read("staging")).toBe(text)
})

test.each(["a passphrase", "a key service"])(
  "the check finds the secret of another environment that %s sealed, and a plan says that it does not look",
  async (sealer) => {
    using service = await openKeyService()
    using folder = await openSecretsFolder(sealer === "a passphrase" ? {} : service)
    fillInFolder(folder)
    for (const stack of ["staging", "production"]) await folder.seal(stack, "AUTH_SECRET", strong)
    const checkRun = await folder.run(["environment", "check", "--secrets"])
    expect(checkRun).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /AUTH_SECRET has the value of AUTH_SECRET in .*Pulumi\.production\.yaml \[R41\]\s+Fix: draw another/,
      ),
    })
    const { stdout, stderr } = await planStaging(folder)
    const note = "Secrets are not compared with those of environments/Pulumi.production.yaml"
    expect(stdout + stderr).toContain(note)
    expectNoLeak(checkRun.all + stdout + stderr, { strong })
  },
)
