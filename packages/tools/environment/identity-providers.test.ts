import { expect, test } from "vitest"

import { readStack } from "./read.ts"

function read(identityProviders: object) {
  const configuration = {
    "accounts:environment": "preview",
    "accounts:accountId": "0123456789abcdef0123456789abcdef",
    "accounts:zone": "acme.io",
    "accounts:apiOrigin": "https://api.acme.io",
    "accounts:webOrigin": "https://app.acme.io",
    "accounts:identityProviders": JSON.stringify(identityProviders),
  }
  return readStack({ name: "preview", file: "Pulumi.preview.yaml", configuration })
}

const client = { clientId: "the-client" }

test("each preset of an identity provider is read", () => {
  const declared = {
    own: { issuer: "https://id.acme.io", ...client },
    google: { preset: "google", ...client, emailDomains: ["*"] },
    apple: { preset: "apple", teamId: "TEAM123456", keyId: "KEY1234567", ...client },
    entra: { preset: "microsoft", tenant: "common", ...client },
    pool: {
      preset: "cognito",
      region: "eu-central-1",
      userPoolId: "eu-central-1_Ab12",
      emailDomains: ["acme.io"],
      ...client,
    },
    staff: { preset: "keycloak", url: "https://id.acme.io", realm: "staff", ...client },
  }
  expect(read(declared).environment.identityProviders).toEqual(declared)
})

test.each([
  ["no client id", { idp: { preset: "google" } }, /identityProviders\.idp\.clientId is missing/],
  [
    "a tenant by name",
    { idp: { preset: "microsoft", tenant: "acme.io", ...client } },
    /identityProviders\.idp\.tenant/,
  ],
  [
    "a key of another preset",
    { idp: { preset: "google", issuer: "https://accounts.google.com", ...client } },
    /identityProviders\.idp\.issuer/,
  ],
])("an identity provider is refused for %s", (_what, declared, message) => {
  expect(() => read(declared)).toThrow(message)
})
