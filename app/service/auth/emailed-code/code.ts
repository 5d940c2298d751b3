import * as z from "zod"

export const codeLength = 8

/** What a letter says, and somebody types. */
export const Code = z.string().regex(new RegExp(`^\\d{${codeLength}}$`), "Must be eight digits")
