import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"

const table = readFileSync(join(root, "docs/decisions/016-keys-and-rotation.md"), "utf8")

/** Files that read a secret or a key derived from it: each with its row in the table, or why it needs none. */
const service: Record<string, { places: number; row: string } | { places: number; not: string }> = {
  "service/platform/configuration/keys.ts": { places: 2, not: "derives a key for each purpose" },
  "service/routes/auth.ts": { places: 1, row: "session cookie, `dont_remember`" },
  "service/platform/cookie/cookie-door.ts": { places: 1, row: "session cookie, `dont_remember`" },
  "service/session/session-reader.ts": { places: 1, row: "session cookie" },
  "service/session/session-binding.ts": { places: 2, row: "`session_binding`" },
  "pages/settings.ts": { places: 2, row: "sentences of the next page" },
  "service/sign-in/provider/openid-sign-in.ts": { places: 1, row: "sentences of the next page" },
  "service/guard/browser-marks.ts": { places: 2, row: "`known_browser`, `signed_up`" },
  "service/platform/cookie/host-cookie.ts": { places: 2, not: "of its callers" },
  "service/sign-in/provider/sign-in-state.ts": { places: 1, row: "state of a sign-in" },
  "letters.ts": { places: 2, row: "links that verify an address" },
  "service/routes/auth-hooks.ts": { places: 1, row: "pages that the link of a reset leads to" },
  "service/account/sign-up/email-verification.ts": {
    places: 1,
    row: "links that verify an address",
  },
  "service/guard/attempts.ts": { places: 1, row: "keys of counted attempts" },
  "service/sign-in/passkey/passkey-check.ts": { places: 1, row: "challenges of passkeys" },
  "service/sign-in/code/emailed-code.ts": { places: 2, row: "codes to sign in with" },
  "service/sign-in/second-factor/sign-in-step.ts": {
    places: 1,
    row: "sign-ins that wait for a factor",
  },
  "service/sign-in/second-factor/trusted-browser.ts": {
    places: 1,
    row: "browsers that are trusted",
  },
  "service/sign-in/second-factor/factor.rpc.ts": {
    places: 2,
    row: "secrets of an app that is set up",
  },
  "service/sign-in/second-factor/factor-seal.ts": { places: 1, not: "FACTOR_SECRET" },
  "service/session/token/tokens.ts": { places: 1, row: "tokens for other services" },
  "service/account/export/data-export.ts": { places: 2, row: "cursors of an export" },
  "service/guard/turnstile.ts": { places: 1, not: "TURNSTILE_SECRET" },
  "service/guard/smoke.ts": { places: 1, not: "SMOKE_KEY" },
  "service/guard/caller-address.ts": { places: 1, not: "FRONT_END_KEY" },
  "service/sign-in/provider/protocol.ts": { places: 1, not: "IDP_CLIENT_SECRET" },
  "service/platform/mail/mail.ts": { places: 1, not: "MAIL_SECRET" },
  "payment/stripe.ts": { places: 2, not: "PAYMENT_SECRET, PAYMENT_WEBHOOK_SECRET" },
}

/** The library's, without its plugins, none of which is used. */
const library: typeof service = {
  "api/routes/session.mjs": { places: 6, row: "session cookie, `dont_remember`" },
  "api/routes/sign-out.mjs": { places: 1, row: "session cookie" },
  "cookies/index.mjs": { places: 6, row: "session cookie, `dont_remember`" },
  "api/routes/sign-in.mjs": { places: 1, not: "replaced by auth/sign-in.ts" },
  "api/routes/sign-up.mjs": { places: 1, not: "replaced by auth/sign-up/sign-up.ts" },
  "api/routes/email-verification.mjs": { places: 5, not: "replaced by email-verification.ts" },
  "api/routes/update-user.mjs": { places: 4, not: "change-email is disabled" },
  "cookies/session-store.mjs": { places: 2, not: "account cookies are not configured" },
  "oauth2/link-account.mjs": { places: 1, not: "its verification email, not configured" },
  "oauth2/utils.mjs": { places: 2, row: "tokens of identity providers" },
  "state.mjs": { places: 4, not: "replaced by auth/provider/sign-in-state.ts" },
}

function usesIn(directory: string, { use, skip }: { use: RegExp; skip: RegExp }) {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" })
  return Object.fromEntries(
    files
      .filter((file) => /\.(?:ts|mjs)$/.test(file) && !skip.test(file))
      .map((file) => [file, readFileSync(join(directory, file), "utf8").split("\n")] as const)
      .map(([file, lines]) => [file, lines.filter((line) => use.test(line)).length] as const)
      .filter(([, places]) => places > 0),
  )
}

test("every place that reads a secret is known, and what becomes of it when AUTH_SECRET is rotated", () => {
  const use =
    /reveal\(\)|\bsealedCookie\(|\bkeys\.(?:of|first|seal|open)\(|\b(?:context|ctx)\.secret(?:Config)?\b/
  const uses = usesIn(join(root, "app"), { use, skip: /\.test\.ts$|^testing\// })
  const theirs = usesIn(join(root, "node_modules/better-auth/dist"), { use, skip: /^plugins\// })
  for (const [counted, expectedUses] of [
    [uses, service],
    [theirs, library],
  ] as const) {
    const places = Object.entries(expectedUses).map(
      ([file, expectedUse]) => [file, expectedUse.places] as const,
    )
    expect(counted).toEqual(Object.fromEntries(places))
    const rows = Object.values(expectedUses).flatMap((expectedUse) =>
      "row" in expectedUse ? [expectedUse.row] : [],
    )
    expect(rows.filter((row) => !table.includes(`| ${row}`))).toEqual([])
  }
})

test("the service uses no plugin of the library, which would read the secret as well", () => {
  const use = /better-auth\/plugins/
  expect(usesIn(join(root, "app"), { use, skip: /\.test\.ts$/ })).toEqual({})
})

test("nothing that is written for operators puts a secret into an argument, which every user of a machine reads", () => {
  const folders = ["docs", ".github", "examples", "environments"]
  const below = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) =>
      join(folder, file),
    ),
  )
  const texts = ["README.md", "SECURITY.md", "packages/local/README.md", ...below]
    .filter((file) => /\.(?:md|ya?ml|sh)$/.test(file) && !file.includes("node_modules"))
    .map((file) => ({ file, lines: readFileSync(join(root, file), "utf8").split("\n") }))
  // `printf` and `echo` are the shell's own, and no process.
  const inArgument =
    /\b(?:curl|wget|pulumi|wrangler|accounts|aws|gcloud|az|gh|git|npx?|node)\b[^`|;]*\$(?:\(openssl|\{?\w*(?:TOKEN|SECRET|PASSPHRASE|PASSWORD|_KEY)\b)/
  const offenders = texts.flatMap(({ file, lines }) =>
    lines.filter((line) => inArgument.test(line)).map((line) => `${file}: ${line}`),
  )
  expect(texts.length).toBeGreaterThan(20)
  expect(offenders).toEqual([])
  expect(inArgument.test('curl -H "authorization: Bearer $CLOUDFLARE_API_TOKEN" https://x')).toBe(
    true,
  )
  expect(inArgument.test('pulumi config set --secret key "$(openssl rand -hex 32)"')).toBe(true)
})
