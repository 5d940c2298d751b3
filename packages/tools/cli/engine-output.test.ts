import { expect, test } from "vitest"

import { engineOutput } from "./error-report.ts"

/** As Pulumi 3.259.0 prints it. */
const refused = `code: 1
stderr: error: could not create secrets manager for new stack: secrets (code=Unknown): Error making API request.

URL: PUT http://127.0.0.1:8790/local/key-service/v1/transit/decrypt/local
Code: 400. Raw Message:
 err?: undefined`

test("a local Cloudflare from before there was a key service is named, with the way out", () => {
  expect(engineOutput(refused)).toMatch(/transit\/decrypt\/local[^]*start it with npm start/)
})
