import type { Examples } from "../openapi/examples.ts"

export const ada = {
  id: "user_ej80syanscczvrebh8kbqydn",
  email: "ada@example.com",
  emailVerified: true,
  name: "Ada Lovelace",
  image: "https://images.example.com/ada.png",
  role: "member",
  createdAt: "2026-11-02T08:15:30.000Z",
}

const page = {
  tables: {
    user: [{ ...ada, plan: "free", planUntil: null, updatedAt: "2026-11-02T08:15:30.000Z" }],
    session: [],
    account: [],
    usage: [{ userId: ada.id, metric: "journal_entries", period: "2026-11", count: 12 }],
    journal_entry: [],
    compatibility_result: [],
    payment: [],
    consent: [],
    audit_entry: [],
  },
  nextCursor: null,
}

const cursor = "eyJqb3VybmFsX2VudHJ5IjoyMDB9"

export const userExamples: Examples = {
  whoami: { answer: { user: { id: ada.id, name: ada.name, role: ada.role } } },
  getProfile: { answer: ada },
  updateProfile: { body: { name: ada.name, image: ada.image }, answer: ada },
  getPlanAndUsage: {
    answer: {
      plan: "free",
      planUntil: null,
      usage: [
        { metric: "journal_entries", used: 12, limit: 60 },
        { metric: "compatibility_results", used: 1, limit: 5 },
      ],
      resetsAt: "2026-12-01T00:00:00.000Z",
    },
  },
  exportData: { parameters: { cursor }, answer: page },
  readMember: { parameters: { userId: ada.id, cursor }, answer: page },
}
