import { expect, test } from "vitest"

import { project } from "../project/own-project.ts"
import { readStack } from "../read.ts"

test("every secret that a stack generates beside its sandboxes is rotated by number", () => {
  const rotations = Object.fromEntries(Object.keys(project.generated).map((name) => [name, 1]))
  const { environment } = readStack({
    name: "local",
    file: "Pulumi.local.yaml",
    configuration: {
      "cloudflare:baseUrl": "http://127.0.0.1:8790/client/v4",
      "accounts:environment": "local",
      "accounts:accountId": "0123456789abcdef0123456789abcdef",
      "accounts:zone": "localhost",
      "accounts:apiOrigin": "http://localhost:8787",
      "accounts:webOrigin": "http://localhost:5173",
      "accounts:mailUrl": "http://127.0.0.1:8791/send",
      "accounts:paymentUrl": "http://127.0.0.1:8792",
      "accounts:checksUrl": "http://127.0.0.1:8794",
      "accounts:identityProviders": JSON.stringify({
        idp: { issuer: "http://127.0.0.1:8793", clientId: "accounts" },
      }),
      "accounts:rotations": JSON.stringify(rotations),
    },
  })
  expect(environment.rotations).toEqual(rotations)
})
