/** Mail servers accept no more (RFC 5321, 4.5.3.1.1), although the library's pattern does. */
export const maxLocalPart = 64

export function hasLongLocalPart(email: string) {
  return email.indexOf("@") > maxLocalPart
}
