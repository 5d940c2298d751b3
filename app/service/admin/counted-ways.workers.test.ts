import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { operatorStatements } from "../../../infra/operator-statements.ts"
import { createFactorPerson } from "../../testing/factor-person.ts"
import { createPasskeyPerson } from "../../testing/passkey-person.ts"
import { createPerson } from "../../testing/person.ts"

test("whoever has a passkey is kept out by no lack of a password, and held by no required factor, unless passkeys are off", async () => {
  await createPerson(undefined, "owner")
  await createPerson(undefined, "admin")
  await createFactorPerson()
  await createPasskeyPerson()
  const count = (passkeys: boolean) =>
    env.DB.prepare(operatorStatements.ways.count({ providers: ["'idp'"], passkeys })).first()
  const always = { accounts: 4, ownersWithPasswordAlone: 1, withProvider: 0, neither: 0 }
  const held = { ownersWithoutFactor: 1, adminsWithoutFactor: 1 }
  expect(await count(true)).toEqual({
    ...always,
    ...held,
    passwordAlone: 3,
    withPasskey: 1,
    membersWithoutFactor: 0,
  })
  expect(await count(false)).toEqual({
    ...always,
    ...held,
    passwordAlone: 4,
    withPasskey: 0,
    membersWithoutFactor: 1,
  })
})
