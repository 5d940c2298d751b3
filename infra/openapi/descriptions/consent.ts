import type { Descriptions } from "../operation.ts"

export const consent: Descriptions = {
  procedures: {
    recordConsent: {
      summary: "Record consent to a version of a document",
      description: "Recording a consent that is still in force changes nothing.",
    },
    listConsents: { summary: "List your consents, newest first" },
    withdrawConsent: { summary: "Withdraw a consent" },
  },
}
