import * as z from "zod"

/** Mail servers accept no more (RFC 5321, 4.5.3.1.1), although the pattern does. */
const maxLocalPart = 64

/** HTML's, but for its last quantifier: two labels at least, since no member has an address at `localhost`. */
const pattern = new RegExp(z.regexes.html5Email.source.replace(/\*\$$/, "+$"))

/**
 * An address as it is stored, counted and compared, however somebody has typed it: what a browser's
 * email field accepts (https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address), with a
 * dot in the domain. Blanks go first, as in that field, and an internationalized domain becomes its
 * ASCII form, which is what the field submits. Capitals go last: a letter of another alphabet, such as
 * the sign for kelvin, would become an ASCII letter.
 */
export const Email = z
  .string()
  .trim()
  .overwrite(asciiDomainOf)
  .max(254)
  .check(z.email({ pattern }))
  .check(({ value, issues }) => {
    if (value.indexOf("@") <= maxLocalPart) return
    const message = `Must have at most ${maxLocalPart} characters before the @`
    const limit = { maximum: maxLocalPart, inclusive: true, origin: "string" } as const
    issues.push({ code: "too_big", ...limit, input: value, message })
  })
  .toLowerCase()

/** The address with its domain in ASCII (RFC 5891); unchanged where the domain has none. */
function asciiDomainOf(email: string) {
  const at = email.lastIndexOf("@")
  return email.slice(0, at + 1) + asciiDomain(email.slice(at + 1))
}

/**
 * The domain in ASCII. Unchanged, and so refused by the pattern, where a label with other letters has
 * no punycode: the URL parser maps some of them, such as full-width letters, to ASCII.
 */
export function asciiDomain(domain: string) {
  const labels = domain.split(".")
  const isInternational = labels.some((label) => !isAscii(label))
  if (!isInternational || !labels.every((label) => /^[\p{L}\p{M}\p{N}-]+$/u.test(label))) {
    return domain
  }
  const url = `http://${domain}`
  const encoded = URL.canParse(url) ? new URL(url).hostname.split(".") : []
  const isEncoded = labels.every(
    (label, index) => isAscii(label) || encoded[index]?.startsWith("xn--") === true,
  )
  return isEncoded && encoded.length === labels.length ? encoded.join(".") : domain
}

function isAscii(text: string) {
  return /^[\x20-\x7e]*$/.test(text)
}
