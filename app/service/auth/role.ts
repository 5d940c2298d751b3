export const roles = ["member", "admin", "owner"] as const

export type Role = (typeof roles)[number]
