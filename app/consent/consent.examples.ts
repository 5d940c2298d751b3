import type { Examples } from "../service/openapi/examples.ts"

const agreed = { purpose: "privacy", version: "2026-10" }

const consent = {
  id: "consent_223wzx6asr2z3ghtd64ppcca",
  ...agreed,
  grantedAt: "2026-11-02T08:16:02.951Z",
  withdrawnAt: null,
}

export const consentExported = {
  consents: [
    {
      id: "consent_j4cdwkk6pbo3xyl2y2ew0v5s",
      purpose: "terms",
      version: "2026-01",
      grantedAt: "2026-11-02T08:15:30.000Z",
      withdrawnAt: null,
    },
  ],
}

export const consentExamples: Examples = {
  recordConsent: { body: agreed, answer: consent },
  listConsents: {
    parameters: {
      limit: 20,
      cursor: "MTc5MzYwNzM2Mjk1MS5jb25zZW50XzIyM3d6eDZhc3IyejNnaHRkNjRwcGNjYQ",
    },
    answer: { items: [consent], nextCursor: null },
  },
  withdrawConsent: {
    body: { id: consent.id },
    answer: { ...consent, withdrawnAt: "2026-11-21T20:30:00.000Z" },
  },
}
