import type { Examples } from "../service/openapi/examples.ts"

const summary = {
  id: "compatibility_result_m3s5ayn2yfcbt2ctzbwq5fkw",
  partnerName: "Charles",
  schemaVersion: 1,
  unlocked: false,
  paymentId: null,
  paymentStatus: null,
  createdAt: "2026-11-21T20:05:44.102Z",
}

const lite = {
  score: 78,
  summary: "You think alike and rest differently.",
  traits: [
    { name: "Curiosity", score: 93 },
    { name: "Patience", score: 61 },
  ],
}

const deepInsights = {
  sections: [{ title: "How you argue", body: "Both of you would rather be right than be done." }],
}

const result = { ...summary, lite, deepInsights: null }
const paymentId = "payment_89cfd9c54f34r5894r3ztwyg"

export const compatibilityExamples: Examples = {
  createResult: {
    body: { partnerName: summary.partnerName, schemaVersion: 1, lite, deepInsights },
    answer: result,
  },
  getResult: { parameters: { id: result.id }, answer: result },
  listResults: {
    parameters: {
      limit: 20,
      cursor: "MTc5NTI5MTU0NDEwMi5jb21wYXRpYmlsaXR5X3Jlc3VsdF9tM3M1YXluMnlmY2J0MmN0emJ3cTVma3c",
    },
    answer: { items: [summary], nextCursor: null },
  },
  unlockDeepInsights: {
    body: { resultId: result.id, paymentId },
    answer: { ...result, unlocked: true, paymentId, paymentStatus: "paid", deepInsights },
  },
}
