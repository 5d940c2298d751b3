import type { BrowserContext, Page } from "playwright-core"
import * as z from "zod"

import { sendRequest } from "../send-request.ts"

export const password = "correct horse battery"

/** Input of createResult, as a client computes it. The feature's own tests have another, because a copy may lack the feature. */
export const resultInput = {
  partnerName: "Grace",
  schemaVersion: 1,
  lite: { score: 71, summary: "A good match", traits: [{ name: "humour", score: 90 }] },
  deepInsights: { sections: [{ title: "Communication", body: "This is what is paid for." }] },
}

const Created = z.object({ id: z.string() })

/** Fills in the form of a sign-up that is open. */
export async function signUpAt(page: Page, email: string) {
  await page.getByLabel("Name").fill("Grace")
  await page.getByLabel("Email address").fill(email)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Create an account" }).click()
}

/** The same of a sign-in. */
export async function signInAt(page: Page, email: string) {
  await page.getByLabel("Email address").fill(email)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
}

/** Calls the service at its origin with a browser's cookies, as a server of a front end does. */
export async function callAt(
  context: BrowserContext,
  origin: string,
  name: string,
  body: unknown,
): Promise<unknown> {
  const cookies = await context.cookies(origin)
  const cookie = cookies.map((entry) => `${entry.name}=${entry.value}`).join("; ")
  // The names below localhost are known to browsers alone.
  const connectTo = `http://127.0.0.1:${new URL(origin).port}`
  const headers = { origin, cookie }
  const answer = await sendRequest(`${origin}/api/v1/${name}`, { connectTo, headers, body })
  return answer.json
}

/** Creates a result as a front end does; the pages sell the rest of it. @returns its id */
export async function createResult(context: BrowserContext, origin: string) {
  return Created.parse(await callAt(context, origin, "createResult", resultInput)).id
}

/** From any page of the account to a result that is paid at the sandbox, and back. */
export async function payAt(page: Page, origin: string) {
  await page.getByRole("link", { name: "Payments", exact: true }).click()
  await page.getByText("Deep insights: you and Grace").waitFor()
  await page.getByRole("button", { name: "Pay" }).click()
  await page.waitForURL((url) => url.origin !== origin)
  await page.getByRole("button", { name: "Pay", exact: true }).click()
  await page.getByText("Paid. Thank you!").waitFor()
}
