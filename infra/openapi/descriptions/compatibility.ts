import type { Descriptions } from "../operation.ts"

export const compatibility: Descriptions = {
  procedures: {
    createResult: { summary: "Store a compatibility result" },
    getResult: { summary: "Get one of your compatibility results" },
    listResults: { summary: "List your compatibility results, newest first" },
    unlockDeepInsights: { summary: "Unlock the deep insights of a result that has been paid for" },
  },
  fields: {
    unlocked: "Whether the deep insights have been paid for",
    "createResult.answer.paymentId": "The payment that unlocked them",
    "getResult.answer.paymentId": "The payment that unlocked them",
    "unlockDeepInsights.answer.paymentId": "The payment that unlocked them",
    "listResults.answer.items.paymentId": "The payment that unlocked them",
    paymentStatus:
      "Of that payment, else of the newest one for this result: pending and processing are not sold again. Null before any.",
    "compatibilityResults.paymentId": "The payment that unlocked them",
    "compatibilityResults.deepInsights": "Null until they have been paid for",
    "answer.deepInsights": "Null until they have been paid for",
  },
}
