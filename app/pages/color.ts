/** Red, green and blue, each 0 to 255. */
type Color = [number, number, number]

const white = "#ffffff"

function partsOf(color: string): Color {
  const part = (at: number) => Number.parseInt(color.slice(at, at + 2), 16)
  return [part(1), part(3), part(5)]
}

/** By WCAG 2.2, from 0 (black) to 1 (white). */
function luminance(color: string) {
  const [red, green, blue] = partsOf(color).map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
}

/** From 1 to 21 between two colours such as #0b6e4f; text needs 4.5. */
export function contrast(one: string, other: string) {
  const [bright = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (bright + 0.05) / (dark + 0.05)
}

/** The same hue, with as much white as it takes to be read on a dark background. */
export function lightenedOn(color: string, background: string) {
  const steps = Array.from({ length: 21 }, (_, step) => mix(color, white, step / 20))
  return steps.find((one) => contrast(one, background) >= 4.5) ?? white
}

function mix(one: string, other: string, share: number) {
  const added = partsOf(other)
  const parts = partsOf(one).map((part, at) => {
    const mixed = Math.round(part + ((added[at] ?? 0) - part) * share)
    return mixed.toString(16).padStart(2, "0")
  })
  return `#${parts.join("")}`
}
