import { raw } from "hono/html"
import { renderSVG } from "uqr"

import { deviceOf } from "../../service/platform/http/device.ts"
import { field } from "../fields.ts"
import { defineForm, Form, type Page } from "../form.tsx"
import { List, When } from "../list.tsx"
import { unwrap, goAfter, type Result, Show } from "../outcome.ts"
import { Obstacle } from "../send-again.tsx"
import type { Visit } from "../visit.ts"
import { deviceName } from "./devices.tsx"

const path = "/account/second-factor"

type Codes = { recoveryCodes: string[] }

/** Shows codes once, in the response to the request that creates them. */
async function showCodes({ words }: Visit, answer: Promise<Result<Codes>>) {
  const { data, error } = await answer
  if (data === undefined) return error ?? { code: "other" }
  return new Show(
    <>
      <p>{words.recoveryCodesText}</p>
      <pre>{data.recoveryCodes.join("\n")}</pre>
      <p class="both">
        <a class="button" download="recovery-codes.txt" href={fileOf(data.recoveryCodes)}>
          {words.download}
        </a>
        <button type="button" hidden data-copy="" data-copied={words.copied}>
          {words.copy}
        </button>
        <button type="button" hidden data-print="">
          {words.print}
        </button>
        <a class="button" href={path}>
          {words.continue}
        </a>
      </p>
    </>,
  )
}

/** Returns a data URL, because no request could download the codes: they exist only on this page. */
function fileOf(codes: string[]) {
  return `data:application/octet-stream,${encodeURIComponent(`${codes.join("\n")}\n`)}`
}

const confirmForm = defineForm({
  act: "confirm",
  button: (words) => words.turnOn,
  // The page shows the key again after a wrong code.
  fields: { enrolment: field.hidden, uri: field.hidden, code: field.appCode },
  send: (visit, { enrolment, code }) =>
    showCodes(visit, visit.api.user.confirmTotp({ enrolment, code })),
})

const renewForm = defineForm({
  act: "renew",
  button: (words) => words.renewCodes,
  isSecondary: true,
  confirmation: (words) => words.confirmations.codes,
  fields: {},
  send: (visit) => showCodes(visit, visit.api.user.renewRecoveryCodes()),
})

const forgetForm = defineForm({
  act: "forget",
  button: (words) => words.forgetBrowsers,
  isSecondary: true,
  fields: {},
  send: ({ api }) => goAfter(api.user.forgetBrowsers(), path, "forgotten"),
})

const offForm = defineForm({
  act: "off",
  button: (words) => words.turnOff,
  isDestructive: true,
  confirmation: (words) => words.confirmations.factor,
  fields: {},
  send: ({ api }) => goAfter(api.user.turnOffSecondFactor(), path, "second_factor_off"),
})

/** Accepts only a key that the page itself put into the form. Another text may be too long for a QR code. */
const isKey = /^otpauth:\/\/totp\/[!-~]{1,700}$/

/** Renders an app's key as a QR code, and as text for typing. */
function SetUp({ visit, uri, enrolment }: { visit: Visit; uri: string; enrolment: string }) {
  const { words } = visit
  const key = /[?&]secret=([A-Z2-7]+)/.exec(uri)?.[1] ?? ""
  return (
    <>
      <p>{words.scanText}</p>
      <div class="qr" role="img" aria-label={words.scanPicture}>
        {raw(renderSVG(uri, { border: 4 }))}
      </div>
      <p>
        <code>{key.replaceAll(/.{4}(?=.)/g, "$& ")}</code>
      </p>
      <Form visit={visit} form={confirmForm} values={{ uri, enrolment }} />
    </>
  )
}

/** Returns the code with which the API would refuse an authenticator app, before the member sets it up. */
function obstacleOf({ settings, session }: Visit) {
  if (!settings.secondFactor) return "SECOND_FACTOR_NOT_OFFERED"
  return session?.user.emailVerified === false ? "EMAIL_NOT_VERIFIED" : undefined
}

export const secondFactorPage: Page = {
  path,
  audience: "member",
  parent: "/account/security",
  title: (words) => words.secondFactor,
  show: async (visit) => {
    const { words, api, query, refused } = visit
    const uri = visit.field("uri")
    if (refused?.act === "confirm" && isKey.test(uri)) {
      return <SetUp visit={visit} uri={uri} enrolment={visit.field("enrolment")} />
    }
    const obstacle = obstacleOf(visit)
    if (query.has("app") && obstacle === undefined) {
      return <SetUp visit={visit} {...await unwrap(api.user.beginTotp())} />
    }
    const methods = await unwrap(api.user.listWays())
    const { secondFactor, secondFactorRequired, trustedBrowsers } = methods
    const begin = (text: string) => (
      <p>
        <a class="button" href={`${path}?app=yes`}>
          {text}
        </a>
      </p>
    )
    if (secondFactor === null) {
      return (
        <>
          <p>{words.secondFactorText}</p>
          {obstacle === undefined ? (
            begin(words.setUpApp)
          ) : (
            <Obstacle visit={visit} code={obstacle} />
          )}
        </>
      )
    }
    return (
      <>
        <p>
          {words.factorSince} <When visit={visit} at={secondFactor.since} />.{" "}
          {words.recoveryCodesLeft(secondFactor.recoveryCodes)}
        </p>
        <Form
          visit={visit}
          form={renewForm}
          about={words.recoveryCodesLeft(secondFactor.recoveryCodes)}
        />
        {obstacle === undefined && begin(words.anotherApp)}
        {secondFactorRequired ? (
          <p class="soft">{words.factorRequired}</p>
        ) : (
          <Form visit={visit} form={offForm} about={words.secondFactor} />
        )}
        <h2>{words.trustedBrowsers}</h2>
        <List
          visit={visit}
          items={trustedBrowsers}
          row={({ userAgent, expiresAt }) => (
            <span>
              {deviceName(deviceOf(userAgent), words)}
              <small>
                {words.until} <When visit={visit} at={expiresAt} />
              </small>
            </span>
          )}
        />
        {trustedBrowsers.length > 0 && <Form visit={visit} form={forgetForm} />}
      </>
    )
  },
  forms: [confirmForm, renewForm, forgetForm, offForm],
}
