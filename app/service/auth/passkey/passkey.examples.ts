import type { Examples } from "../../openapi/examples.ts"

export const passkey = {
  id: "passkey_01hzy3v8w2k5",
  name: "Ada's telephone",
  backedUp: true,
  createdAt: "2026-11-20T09:00:00.000Z",
  usedAt: "2026-11-24T18:30:00.000Z",
}

export const passkeyExamples: Examples = {
  renamePasskey: { body: { passkeyId: passkey.id, name: passkey.name }, answer: passkey },
  removePasskey: { body: { passkeyId: passkey.id }, answer: { id: passkey.id } },
}
