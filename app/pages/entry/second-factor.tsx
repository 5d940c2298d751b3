import { field } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { Go, goAfter, type Problem, type Result } from "../outcome.ts"
import { Failure } from "../refusal.tsx"
import type { Visit } from "../visit.ts"

const path = "/sign-in/second-factor"

/** Continues a sign-in after its first step; most accounts have no second step. */
export async function goAfterFirst(visit: Visit, answer: Promise<Result<unknown>>) {
  const { error } = await answer
  if (error?.code === "SECOND_FACTOR_REQUIRED") return secondStep(visit, error)
  return error ?? new Go(visit.onward("/sign-in/back"))
}

export function secondStep(visit: Visit, { ways = ["totp", "recovery"] }: Partial<Problem> = {}) {
  return new Go(visit.onward(`${path}?${new URLSearchParams({ ways: ways.join(" ") }).toString()}`))
}

const trust = { is: "tick", label: (words: Visit["words"]) => words.trustBrowser } as const

type Shown = { code: string } | { recoveryCode: string }

function finish(visit: Visit, { trust: trustBrowser, ...proof }: Shown & { trust: boolean }) {
  const { api, onward } = visit
  return goAfter(api.auth.signInSecondFactor({ ...proof, trustBrowser }), onward("/sign-in/back"))
}

const codeForm = defineForm({
  act: "code",
  button: (words) => words.signIn,
  fields: { code: field.appCode, trust },
  send: finish,
})

const recoveryForm = defineForm({
  act: "recovery",
  button: (words) => words.signIn,
  fields: { recoveryCode: field.recoveryCode, trust },
  send: finish,
})

/** The second step of a sign-in that this browser began. */
export const secondFactorPage: Page = {
  path,
  audience: "anyone",
  title: (words) => words.secondStep,
  show: (visit) => {
    const { words, session, query, refused } = visit
    if (session !== null) return new Go(visit.goal)
    const ways = (query.get("ways") ?? "totp recovery").split(" ")
    return (
      <>
        <Failure visit={visit} />
        {ways.includes("totp") && (
          <Form visit={visit} form={codeForm}>
            <p>{words.secondStepText}</p>
          </Form>
        )}
        {ways.includes("recovery") && (
          <details {...((refused?.act === "recovery" || !ways.includes("totp")) && { open: true })}>
            <summary>{words.noApp}</summary>
            <Form visit={visit} form={recoveryForm} />
          </details>
        )}
        <p>
          <a href={visit.onward("/sign-in")}>{words.otherWays}</a>
        </p>
      </>
    )
  },
  forms: [codeForm, recoveryForm],
}
