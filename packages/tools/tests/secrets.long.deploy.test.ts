import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"
import * as z from "zod"

import { root } from "../base/root.ts"
import { readTree } from "./testing/read-tree.ts"
import { openKeyService } from "./testing/secrets/key-service.ts"
import { expectNoLeak } from "./testing/secrets/secret-forms.ts"
import { openSecretsFolder, runSecretCommand } from "./testing/secrets/secrets-folder.ts"
import { fillInFolder, planStaging } from "./testing/stacks/plan-staging.ts"

const week = 7 * 24 * 60 * 60 * 1000

const Examined = z.object({
  findings: z.array(z.object({ stack: z.string(), kind: z.string(), key: z.string() })),
  unchecked: z.array(z.object({ stack: z.string(), why: z.string() })),
})

test("secrets are set, drawn, rotated and examined; no value shows anywhere, and nothing is left behind", async () => {
  using folder = await openSecretsFolder()
  const fromMail = "the-token-of-the-mail-service-0123456789"
  const printed: string[] = []
  const done = async (args: string[], input = "") => {
    const { code, all } = await folder.run(args, { input })
    printed.push(all)
    expect({ args, code, all }).toEqual({ args, code: 0, all: expect.any(String) })
  }
  await done(["generate", "AUTH_SECRET", "-s", "staging"])
  // With the line break of `echo`, and once more without.
  await done(["set", "MAIL_SECRET", "-s", "staging"], `${fromMail}\n`)
  await done(["set", "MAIL_SECRET", "-s", "staging", "--replace"], fromMail)
  const first = await folder.open("staging")
  expect(first).toEqual({
    AUTH_SECRET: expect.stringMatching(/^[0-9a-f]{64}$/),
    MAIL_SECRET: fromMail,
  })

  const before = folder.read("staging")
  await done(["rotate", "AUTH_SECRET", "-s", "staging"])
  const second = await folder.open("staging")
  expect(second).toMatchObject({
    AUTH_SECRET_PREVIOUS: first["AUTH_SECRET"],
    MAIL_SECRET: fromMail,
  })
  expect(second["AUTH_SECRET"]).not.toBe(first["AUTH_SECRET"])
  // The former seal moves as it is, and the comments stay.
  const seal = /AUTH_SECRET:\n +secure: (\S+)/.exec(before)?.[1] ?? "none"
  expect(folder.read("staging")).toContain(`AUTH_SECRET_PREVIOUS:\n      secure: ${seal}`)
  expect(folder.read("staging").split("\n").slice(0, 4)).toEqual(before.split("\n").slice(0, 4))
  const effective = readFileSync(join(folder.environments, "staging.effective.yaml"), "utf8")
  expect(effective).toMatch(/AUTH_SECRET: sealed in .*, signs from \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
  expect(effective).toMatch(/AUTH_SECRET_PREVIOUS: sealed in .*, accepted until /)

  const files = readTree(join(folder.environments, ".."))
  expect(files).toContain("AUTH_SECRET_PREVIOUS")
  for (const values of [first, second]) expectNoLeak(files + printed.join(""), values)
  expect(readdirSync(folder.temporary)).toEqual([])
  expect(readdirSync(folder.environments).toSorted()).toEqual([
    "Pulumi.production.yaml",
    "Pulumi.staging.yaml",
    "staging.effective.yaml",
  ])
})

test("what Pulumi writes into a committed file stands beside its lines, which stay as they are", async () => {
  using folder = await openSecretsFolder()
  const before = folder.read("staging")
  const file = join(folder.environments, "Pulumi.staging.yaml")
  const own = ["--stack", "staging", "--config-file", file]
  await folder.pulumi("config", "set", "aws:region", "eu-central-1", ...own)
  const after = folder.read("staging").split("\n")
  expect(after).toContain("  aws:region: eu-central-1")
  expect(before.split("\n").filter((line) => !after.includes(line))).toEqual([])
})

test("a second rotation inside the overlap is refused with its date, and so is the end of the first", async () => {
  using service = await openKeyService()
  using folder = await openSecretsFolder(service)
  await folder.run(["generate", "AUTH_SECRET", "-s", "staging"])
  const rotated = await folder.run([
    "rotate",
    "AUTH_SECRET",
    "-s",
    "staging",
    "--in",
    "2",
    "--json",
  ])
  const { from, until } = z
    .object({ from: z.string(), until: z.string() })
    .parse(JSON.parse(rotated.stdout))
  expect(Date.parse(until) - Date.parse(from)).toBe(week)
  const date = until.slice(0, 10)
  const text = folder.read("staging")
  for (const args of [
    ["rotate", "AUTH_SECRET"],
    ["remove", "AUTH_SECRET_PREVIOUS"],
  ]) {
    const { code, stderr } = await folder.run([...args, "-s", "staging"])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(date) })
  }
  expect(folder.read("staging")).toBe(text)

  // A week later.
  const past = new Date(Date.now() - week - 60_000).toISOString()
  folder.edit("staging", (now) => now.replace(/(authSecretFrom: ).*/, `$1"${past}"`))
  const reminded = await folder.run(["doctor", "-s", "staging"])
  expect(reminded).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("secret remove AUTH_SECRET_PREVIOUS"),
  })
  const previous = (await folder.open("staging"))["AUTH_SECRET"]
  expect(await folder.run(["rotate", "AUTH_SECRET", "-s", "staging"])).toMatchObject({ code: 0 })
  expect((await folder.open("staging"))["AUTH_SECRET_PREVIOUS"]).toBe(previous)
  const ended = await folder.run(["remove", "AUTH_SECRET_PREVIOUS", "-s", "staging", "--sign-out"])
  expect(ended.code).toBe(0)
  expect(Object.keys(await folder.open("staging"))).toEqual(["AUTH_SECRET"])
  expect(folder.read("staging")).not.toContain("authSecretFrom")
})

test("the doctor names what is missing, too many, in clear, weak and equal, and what it cannot know", async () => {
  using folder = await openSecretsFolder()
  const kinds = async (env = {}) => {
    const { code, stdout } = await folder.run(["doctor", "--json"], { env })
    const { findings, unchecked } = Examined.parse(JSON.parse(stdout))
    const found = findings.map(
      ({ stack, kind, key }) => `${stack} ${kind} ${key.split(".").at(-1)}`,
    )
    return { code, found, unchecked: unchecked.map(({ stack }) => stack) }
  }
  expect(await kinds()).toEqual({
    code: 1,
    found: ["production missing AUTH_SECRET", "staging missing AUTH_SECRET"],
    unchecked: [],
  })
  const shared = "0123456789abcdefghijklmnopqrstuvwxyz"
  for (const stack of ["staging", "production"]) {
    await folder.run(["set", "AUTH_SECRET", "-s", stack], { input: shared })
  }
  folder.edit("staging", (text) =>
    text.replace(
      "  accounts:secrets:\n",
      "  accounts:secrets:\n    MAIL_SECRET: in-the-clear\n    AUTH_SECRT: { secure: v1:eA:FFFF }\n",
    ),
  )
  const equal = ["production equal AUTH_SECRET", "staging equal AUTH_SECRET"]
  const offline = ["staging unsealed MAIL_SECRET", "staging extra AUTH_SECRT"]
  const locked = await kinds({ PULUMI_CONFIG_PASSPHRASE: "another passphrase" })
  expect(locked).toEqual({
    code: 1,
    found: expect.arrayContaining(offline),
    unchecked: ["production", "staging"],
  })
  expect(locked.found).not.toContain(equal[0])
  folder.edit("staging", (text) => text.replace(/ +AUTH_SECRT.*\n/, ""))
  expect((await kinds()).found.toSorted()).toEqual(
    [...equal, "staging unsealed MAIL_SECRET"].toSorted(),
  )
})

test("a value is no argument, and neither a weak one nor a placeholder nor a name of nothing is sealed", async () => {
  using service = await openKeyService()
  using folder = await openSecretsFolder(service)
  const text = folder.read("staging")
  const canary = "canary-0123456789abcdef0123456789abcdef"
  const refused: [string[], string, number, RegExp][] = [
    [["set", "AUTH_SECRET", canary], "", 2, /is no argument/],
    [["set", `AUTH_SECRET=${canary}`], "", 2, /is no argument/],
    [["set", canary], "", 2, /That is no secret/],
    [["set", "AUTH_SECRT"], canary, 2, /AUTH_SECRT is no secret/],
    [["set", "AUTH_SECRET_PREVIOUS"], canary, 2, /rotate AUTH_SECRET writes it/],
    [["set", "AUTH_SECRET"], "", 1, /is empty/],
    [["set", "AUTH_SECRET"], canary.slice(0, 31), 1, /must have 32 characters/],
    [["set", "AUTH_SECRET"], "x".repeat(64), 1, /repeats a few characters/],
    [["set", "MAIL_SECRET"], "<the token of the service>", 1, /is a placeholder/],
    [["set", "MAIL_SECRET"], `${canary} `, 1, /begins or ends with a space/],
    [["generate", "PAYMENT_SECRET"], "", 2, /is made by the service/],
    [["rotate", "MAIL_SECRET"], "", 2, /AUTH_SECRET and FACTOR_SECRET have one/],
    [["rotate", "AUTH_SECRET"], "", 1, /has no sealed AUTH_SECRET/],
    [["remove", "AUTH_SECRET"], "", 2, /cannot do without/],
  ]
  for (const [args, input, code, message] of refused) {
    const ran = await folder.run([...args, "-s", "staging"], { input })
    expect({ args, ...ran }).toMatchObject({ code, stderr: expect.stringMatching(message) })
    expectNoLeak(ran.all, { canary })
  }
  const local = ["generate", "AUTH_SECRET", "-s", "local", "--state", folder.temporary]
  const site = { directory: join(root, "environments"), env: folder.variables }
  const { stderr } = await runSecretCommand(local, site)
  expect(stderr).toMatch(/local Cloudflare has the key of local/)
  expect(folder.read("staging")).toBe(text)
})

test("two operators at once both seal theirs, and one that is killed half-way leaves the file whole", async () => {
  using service = await openKeyService()
  using folder = await openSecretsFolder(service)
  const set = (name: string, input: string) => folder.run(["set", name, "-s", "staging"], { input })
  const killed = folder.start(["generate", "AUTH_SECRET", "-s", "staging"])
  const text = folder.read("staging")
  await expect.poll(() => readdirSync(folder.temporary).length, { timeout: 120_000 }).toBe(1)
  killed.kill("SIGKILL")
  await new Promise((resolve) => killed.once("close", resolve))
  expect(folder.read("staging")).toBe(text)
  const [one, other] = await Promise.all([
    set("MAIL_SECRET", "the-token-of-the-mail-service"),
    set("PAYMENT_SECRET", "the-key-of-the-payment-service"),
  ])
  expect([one, other].map(({ code, stderr }) => ({ code, stderr }))).toEqual([
    { code: 0, stderr: expect.any(String) },
    { code: 0, stderr: expect.any(String) },
  ])
  expect(Object.keys(await folder.open("staging")).toSorted()).toEqual([
    "MAIL_SECRET",
    "PAYMENT_SECRET",
  ])
})

test.each(["a passphrase", "a key service"])(
  "the doctor finds the secret of another environment that %s sealed, and a plan says that it does not look",
  async (sealer) => {
    using service = await openKeyService()
    using folder = await openSecretsFolder(sealer === "a passphrase" ? {} : service)
    const shared = "0123456789abcdefghijklmnopqrstuvwxyz"
    fillInFolder(folder)
    for (const stack of ["staging", "production"]) {
      const { code } = await folder.run(["set", "AUTH_SECRET", "-s", stack], { input: shared })
      expect(code).toBe(0)
    }
    const found = await folder.run(["doctor", "-s", "staging"])
    expect(found).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /AUTH_SECRET has the value of AUTH_SECRET in .*Pulumi\.production\.yaml\s+draw another .*generate AUTH_SECRET -s staging --replace/,
      ),
    })
    const { stdout, stderr } = await planStaging(folder)
    const said = "Secrets are not compared with those of environments/Pulumi.production.yaml"
    expect(stdout + stderr).toContain(said)
    expectNoLeak(found.all + stdout + stderr, { shared })
  },
)
