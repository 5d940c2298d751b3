import { setTimeout as wait } from "node:timers/promises"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import type { Credentials, Visitor } from "./testing/factor-visitor.ts"
import { commitBefore, hasCommit } from "./testing/former-commit.ts"
import { type FactorStack, openFactorStack } from "./testing/stacks/factor-stack.ts"

/** The last version that knows no second factor. */
const revision = commitBefore("migrations/0011_factors.sql")
const missing = hasCommit(revision) ? "" : ` skipped: Git has no ${revision}`

function member(name: string) {
  return { email: `${name}@accounts.test`, password: `a horse of ${name}` }
}

/** Has a password alone. */
const bob = member("bob")

/** Have an app, recovery codes and a passkey. Each signs in rarely enough for the limits of an address. */
const names = ["ada", "one", "two", "three", "four", "five", "six", "seven"] as const

type Holder = Credentials & {
  /** Signed in since the version before served alone. */
  visitor: Visitor
  factor: Awaited<ReturnType<Visitor["turnOn"]>>
  enter: Awaited<ReturnType<Visitor["addPasskey"]>>
}

describe.skipIf(missing !== "")(`[commit before]${missing}`, () => {
  /** The tests are one journey: each continues with what the previous one left. */
  let stack: FactorStack
  let formerVersion: string
  let version: string
  let visitors: Visitor[]
  let bobs: Visitor
  let holders: Holder[]
  let ada: Holder
  /** Index of the last holder who was asked, after the first. */
  let askedHolders = 0

  beforeAll(async () => {
    stack = await openFactorStack(revision)
    formerVersion = stack.former
    const join = async (credentials: Credentials) => {
      const visitor = stack.visit()
      expect(await visitor.signUp(credentials)).toMatchObject({
        status: 200,
        version: formerVersion,
      })
      return visitor
    }
    visitors = await Promise.all(names.map((name) => join(member(name))))
    bobs = await join(bob)
    await stack.proveAddresses()
  })
  afterAll(() => stack?.[Symbol.asyncDispose]())

  const spentCode = ({ factor }: Holder) => factor.codes.pop() ?? ""
  const everybody = () =>
    Promise.all([...holders.map(({ visitor }) => visitor.whose()), bobs.whose()])
  const addresses = [...names.map((name) => member(name).email), bob.email]

  /** Response of a version to each sign-in method, and the owner of the session that it starts. */
  async function enter(versionId: string) {
    askedHolders += 1
    const holder = holders[askedHolders]
    if (holder === undefined) throw new Error("no holder is left")
    await stack.later()
    const ways = {
      password: (from: Visitor) => from.signIn(holder, versionId),
      "password and app": async (from: Visitor) => {
        await from.signIn(holder, versionId)
        return from.showFactor({ code: holder.factor.app.code() }, versionId)
      },
      "password and recovery code": async (from: Visitor) => {
        await from.signIn(holder, versionId)
        return from.showFactor({ recoveryCode: spentCode(holder) }, versionId)
      },
      passkey: (from: Visitor) => holder.enter(from, versionId),
      "password without a factor": (from: Visitor) => from.signIn(bob, versionId),
    }
    const answersByWay: Record<string, unknown> = {}
    for (const [way, open] of Object.entries(ways)) {
      const from = stack.visit()
      const { status, body, version: answeringVersion } = await open(from)
      expect(answeringVersion).toBe(versionId)
      const email = await from.whose()
      const who = email === holder.email ? "the holder" : email === bob.email ? "bob" : email
      answersByWay[way] = [status, body.code ?? "", who ?? "nobody"]
    }
    return answersByWay
  }

  const withoutFactor = {
    password: [500, "INTERNAL_SERVER_ERROR", "nobody"],
    "password and app": [405, "METHOD_NOT_ALLOWED", "nobody"],
    "password and recovery code": [405, "METHOD_NOT_ALLOWED", "nobody"],
    passkey: [404, "NOT_FOUND", "nobody"],
    "password without a factor": [200, "", "bob"],
  }
  const withFactor = {
    password: [403, "SECOND_FACTOR_REQUIRED", "nobody"],
    "password and app": [200, "", "the holder"],
    "password and recovery code": [200, "", "the holder"],
    passkey: [200, "", "the holder"],
    "password without a factor": [200, "", "bob"],
  }

  /** A change of the password that begins another session of hers, which the version before would do without a factor. */
  async function changePassword(versionId: string) {
    const newPassword = "another horse of ada"
    const body = { currentPassword: ada.password, newPassword, revokeOtherSessions: true }
    return ada.visitor.post("auth/change-password", body, versionId)
  }

  test("who was signed in stays so, and turns a factor on while both versions serve", async () => {
    version = await stack.release()
    await stack.split(formerVersion, version)
    holders = []
    for (const [at, name] of names.entries()) {
      const visitor = visitors[at] ?? bobs
      expect(await visitor.whose()).toBe(member(name).email)
      expect((await visitor.signIn(member(name), version)).status).toBe(200)
      const factor = await visitor.turnOn(version)
      holders.push({ ...member(name), visitor, factor, enter: await visitor.addPasskey(version) })
    }
    const [first] = holders
    if (first === undefined) throw new Error("no member has a factor")
    ada = first
    expect(await everybody()).toEqual(addresses)
  })

  test("while both serve, each lets in only members who have passed their factor or have none", async () => {
    expect(await enter(version)).toEqual(withFactor)
    expect(await enter(formerVersion)).toEqual(withoutFactor)
    expect(await stack.sessionsOf(ada.email)).not.toContainEqual({ factor: null })
  })

  test("a step that meets the version before is not lost by it", async () => {
    const from = stack.visit()
    await from.signIn(ada, version)
    const recoveryCode = spentCode(ada)
    expect((await from.showFactor({ recoveryCode }, formerVersion)).status).toBe(405)
    expect((await from.showFactor({ recoveryCode }, version)).status).toBe(200)
    expect(await from.whose(formerVersion)).toBe(ada.email)
  })

  test("the version before changes no password by a session without a factor, and ends nothing", async () => {
    const before = await stack.sessionsOf(ada.email)
    expect(await changePassword(formerVersion)).toMatchObject({
      status: 500,
      version: formerVersion,
    })
    expect(await stack.sessionsOf(ada.email)).toEqual(before)
    expect((await stack.visit().signIn(ada, version)).status).toBe(403)
  })

  test("after a rollback the same people are in, and the same come in", async () => {
    await stack.rollBack()
    expect(await stack.shares()).toEqual({ [formerVersion]: 100 })
    expect(await everybody()).toEqual(addresses)
    expect(await enter(formerVersion)).toEqual(withoutFactor)
  })

  test("a release by steps under load signs no member out, and lets none in without the factor", async () => {
    const met: Record<string, unknown[]> = {}
    const knock = async (at: number) => {
      const from = stack.visit()
      const answer = await from.signIn(holders[at % holders.length] ?? bob)
      ;(met[answer.version] ??= []).push([answer.status, await from.whose()])
      expect(await everybody()).toEqual(addresses)
    }
    const released = stack.release()
    const isOver = released.then(
      () => true,
      () => true,
    )
    let knocks = 0
    do await knock(knocks++)
    while (!(await Promise.race([isOver, wait(1000, false)])))
    version = await released
    await knock(knocks)
    expect(Object.keys(met).toSorted()).toEqual([formerVersion, version].toSorted())
    expect(new Set(met[formerVersion]?.map(String))).toEqual(new Set(["500,"]))
    expect(new Set(met[version]?.map(String))).toEqual(new Set(["403,"]))
    expect(await stack.shares()).toEqual({ [version]: 100 })
  })

  test("then every member can use each sign-in method, and is asked for the factor", async () => {
    expect(await enter(version)).toEqual(withFactor)
    expect((await changePassword(version)).status).toBe(200)
    expect(await ada.visitor.whose()).toBe(ada.email)
    const from = stack.visit()
    expect(await from.signIn(ada)).toMatchObject({ status: 401 })
  })
})
