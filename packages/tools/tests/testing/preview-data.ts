import { createHmac } from "node:crypto"

import * as z from "zod"

import { createKeys } from "../../../../app/service/platform/configuration/keys.ts"
import { conceal, type Secret } from "../../../../app/service/platform/configuration/secret.ts"
import { callAccount, listAccount } from "./call-account.ts"

const Row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))

/** Output of `branch up --json`. */
export const Preview = z.object({
  stack: z.string(),
  url: z.url(),
  changes: z.record(z.string(), z.number()),
})
export type Preview = z.infer<typeof Preview>

type Stack = { stack: string }

/** The same cookies, with the session cookie signed as a preview with this secret signs it. */
export function signed(cookies: string, secret: string): string {
  const secrets: [Secret] = [conceal(secret)]
  const key = createKeys({ secrets, environment: "preview", verifyEmail: false }).first("session")
  return cookies.replace(/(?<=session_token=)[^;]+/, (value) => {
    const [token = ""] = decodeURIComponent(value).split(".")
    const signature = createHmac("sha256", key).update(token).digest("base64")
    return encodeURIComponent(`${token}.${signature}`)
  })
}

const State = z.object({
  deployment: z.object({
    resources: z.array(
      z.object({
        urn: z.string(),
        outputs: z.object({ value: z.object({ plaintext: z.string() }).optional() }).optional(),
      }),
    ),
  }),
})

/** The secrets that a stack has generated, by the names of their resources, from the decrypted state. */
async function readSecrets(
  stack: string,
  pulumi: (...args: string[]) => Promise<string>,
): Promise<Map<string, string>> {
  const exported = await pulumi("stack", "export", "--show-secrets", "--stack", stack)
  const { resources } = State.parse(JSON.parse(exported)).deployment
  const generated = resources.filter(({ urn }) => urn.includes("accounts:index:Secret::"))
  return new Map(
    generated.map(({ urn, outputs }) => [
      urn.split("::").at(-1) ?? "",
      z
        .string()
        .min(1)
        .parse(JSON.parse(outputs?.value?.plaintext ?? '""')),
    ]),
  )
}

/** The secrets that a preview has generated. */
export async function generatedSecrets(
  { stack }: Stack,
  pulumi: (...args: string[]) => Promise<string>,
): Promise<string[]> {
  return [...(await readSecrets(stack, pulumi)).values()]
}

/** Secret that signs the sessions of a preview. */
export async function authSecret(
  { stack }: Stack,
  pulumi: (...args: string[]) => Promise<string>,
): Promise<string> {
  const secrets = await readSecrets(stack, pulumi)
  return z.string().parse([...secrets].find(([name]) => name.endsWith("-auth"))?.[1])
}

/** Copies all rows of some tables from the database of one preview to that of another. */
export async function copyRows(
  account: { api: string; token: string; accountId: string },
  { from, to, tables }: { from: Stack; to: Stack; tables: string[] },
): Promise<void> {
  const path = `/accounts/${account.accountId}/d1/database`
  const Found = z.object({ uuid: z.string() })
  const Answers = z.array(z.object({ results: z.array(Row) }))
  const query = async ({ stack }: Stack, sql: string) => {
    const [database] = await listAccount(account, `${path}?name=accounts-${stack}`, Found)
    const call = { method: "POST", path: `${path}/${database?.uuid}/query`, body: { sql } } as const
    return (await callAccount(account, call, Answers)).flatMap(({ results }) => results)
  }
  for (const table of tables) {
    for (const row of await query(from, `SELECT * FROM ${table}`)) {
      const values = Object.values(row).map((value) => (value === null ? "NULL" : `'${value}'`))
      await query(
        to,
        `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${values.join(", ")})`,
      )
    }
  }
}
