import * as z from "zod"

export const codeLength = 8

/** Digits that somebody types or pastes, with or without blanks. */
export function digits(length: number, error: string) {
  return z
    .string()
    .overwrite((typed) => typed.replaceAll(/\s/g, ""))
    .regex(new RegExp(`^\\d{${length}}$`), error)
}

/** What a letter says. */
export const Code = digits(codeLength, "Must be eight digits")
