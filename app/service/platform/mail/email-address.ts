import * as z from "zod"

/** Limit of mail servers (RFC 5321, 4.5.3.1.1), which HTML's pattern does not enforce. */
const maxLocalPart = 64

/**
 * HTML's pattern with a different last quantifier: it requires two labels, because no member has an address at
 * `localhost`.
 */
const pattern = new RegExp(z.regexes.html5Email.source.replace(/\*\$$/, "+$"))

/**
 * Normalizes a typed address to the form in which it is stored, counted and compared. Accepts what a
 * browser's email field accepts (https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address),
 * with a dot in the domain. Removes spaces first, as that field does, and converts an internationalized
 * domain to its ASCII form, which the field submits. Lower-cases last, because characters such as the Kelvin
 * sign would become ASCII.
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

/** Returns the address with its domain in ASCII (RFC 5891), unchanged if it has no domain. */
function asciiDomainOf(email: string) {
  const at = email.lastIndexOf("@")
  return email.slice(0, at + 1) + asciiDomain(email.slice(at + 1))
}

/**
 * Returns the domain in ASCII. A label with other characters that has no punycode stays unchanged, so that
 * the pattern rejects it: the URL parser maps some of them, such as full-width characters, to ASCII.
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
