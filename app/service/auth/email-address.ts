/** Mail servers accept no more (RFC 5321, 4.5.3.1.1), although the library's pattern does. */
const maxLocalPart = 64

export const localPartTooLong = `E-mail address must have at most ${maxLocalPart} characters before the @`

export function hasLongLocalPart(email: string) {
  return email.indexOf("@") > maxLocalPart
}
