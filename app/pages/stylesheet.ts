/** Backgrounds of links and buttons: the darkest one of the light scheme, the lightest one of the dark scheme. */
export const paper = { light: "#eef2ef", dark: "#222b27" }

/** Renders the stylesheet of all pages, for light and dark schemes and for phones. */
export function stylesheetIn(color = "#0b6e4f") {
  const [main, onMain] = [lightenedOn(color, paper.dark), "#0d1210"]
  return `
:root {
  color-scheme: light dark;
  --paper: #f6f7f5; --sheet: #fff; --ink: #1c2421; --soft: #56615c; --line: #d5dbd7;
  --main: ${color}; --on-main: #fff; --bad: #b3261e; --good: #e3f3ec; --wash: ${paper.light};
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #121715; --sheet: #1a211e; --ink: #e7ece9; --soft: #a3afa9; --line: #36413c;
    --main: ${main}; --on-main: ${onMain}; --bad: #ffb4ab; --good: #173428; --wash: ${paper.dark};
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--main); text-underline-offset: .18em; }
:focus-visible, input:focus-within { outline: 3px solid var(--main); outline-offset: 2px; border-radius: .3rem; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--sheet); padding: .5rem 1rem; }
.bar { display: flex; align-items: center; flex-wrap: wrap; gap: 0 1.1rem; padding: .2rem 1rem; background: #17251f; color: #e7ece9; font-size: .8rem; }
.bar a { color: inherit; padding: .2rem 0; }
header, main, footer { max-width: 60rem; margin: 0 auto; padding: 0 1rem; }
header { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem 1rem; padding-top: 1rem; }
header a, footer a, nav a { display: inline-block; padding: .4rem 0; }
header .name { display: flex; align-items: center; gap: .6rem; font-weight: 700; font-size: 1.2rem; letter-spacing: -.01em; color: inherit; text-decoration: none; }
.name img { display: block; max-width: 10rem; object-fit: contain; }
.who { color: var(--soft); font-size: .9rem; }
.who a { margin-left: .75rem; }
main { padding-top: 1.5rem; padding-bottom: 2rem; }
.narrow, body:has(.narrow) :is(header, footer) { max-width: 28rem; }
.sheet { background: var(--sheet); border: 1px solid var(--line); border-radius: 1rem; padding: 1.5rem; box-shadow: 0 1px 2px #0000000a, 0 8px 24px #0000000a; }
.wide { display: grid; gap: 1rem 2rem; grid-template-columns: minmax(0, 1fr); align-items: start; }
nav ul { list-style: none; margin: 0; padding: 0 0 .5rem; }
#menu { inset: auto 1rem; margin: .25rem 0; width: auto; color: inherit; background: var(--sheet); border: 1px solid var(--line); border-radius: 1rem; padding: .75rem; box-shadow: 0 8px 24px #0003; }
nav p { font-size: .8rem; margin: .25rem .75rem .1rem; color: var(--soft); font-weight: 600; }
.wide nav a { display: block; color: inherit; text-decoration: none; padding: .45rem .75rem; border-radius: .5rem; }
nav a:hover { background: var(--wash); }
nav [aria-current] { font-weight: 700; color: var(--main); background: var(--wash); }
@media (min-width: 48rem) {
  .wide { grid-template-columns: 13rem minmax(0, 1fr); }
  .opens { display: none; }
  #menu { display: block; position: static; border: 0; background: none; box-shadow: none; padding: 0; }
  .sheet { padding: 2rem; }
  main { padding-top: 2.5rem; }
}
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; letter-spacing: -.01em; }
h2 { font-size: 1.1rem; margin: 2rem 0 .75rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
form { margin: 0 0 1.25rem; }
.field { margin: 0 0 1rem; max-width: 28rem; }
.search, .acts form { display: flex; flex-wrap: wrap; align-items: end; gap: .75rem; }
:is(.search, .acts form) .field { margin: 0; flex: 1 1 11rem; }
.acts .field { max-width: 18rem; }
.acts .field:has(.tick) { flex-basis: 100%; max-width: none; }
.acts form > p { flex-basis: 100%; margin: 0; }
label { display: block; font-weight: 600; margin-bottom: .3rem; }
input, select, button, .button { font: inherit; min-height: 2.75rem; border-radius: .5rem; }
input:not([type=checkbox]), select { width: 100%; padding: .5rem .75rem; color: inherit; background: var(--sheet); border: 1px solid var(--soft); }
input[aria-invalid] { border: 2px solid var(--bad); }
.tick { display: flex; align-items: center; gap: .6rem; font-weight: 400; margin: 0 0 1rem; min-height: 2rem; }
.tick input { width: 1.2rem; height: 1.2rem; min-height: 0; accent-color: var(--main); flex: none; }
button, .button { display: inline-block; padding: .55rem 1.2rem; border: 1px solid var(--soft); background: var(--sheet); color: inherit; font-weight: 600; cursor: pointer; text-decoration: none; text-align: center; }
button.main { background: var(--main); border-color: var(--main); color: var(--on-main); }
button.grave { color: var(--bad); border-color: var(--bad); }
button.grave.main { background: var(--bad); color: var(--sheet); }
button:hover, .button:hover { filter: brightness(.94); }
.narrow button.main, .narrow .button { display: block; width: 100%; }
.narrow .button { margin-bottom: .6rem; }
.button svg { vertical-align: -.2em; margin-inline-end: .5rem; }
small { display: block; color: var(--soft); margin-top: .3rem; font-size: .875rem; }
.soft { color: var(--soft); }
.bad { color: var(--bad); font-weight: 600; margin: .4rem 0 1rem; }
.field .bad, .field > .tick { margin-bottom: 0; }
[hidden] { display: none !important; }
.good { background: var(--good); border-radius: .6rem; padding: .7rem 1rem; margin: 0 0 1.25rem; }
.note { background: var(--wash); border-radius: .6rem; padding: .7rem 1rem; margin: 0 0 1.25rem; }
.or { display: flex; align-items: center; gap: .8rem; color: var(--soft); margin: 1.25rem 0; }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
.rows { list-style: none; margin: 0 0 1rem; padding: 0; }
.rows li:last-child { border: 0; }
.rows .said::first-letter { text-transform: uppercase; }
.rows li > span:first-child { display: block; flex: 1 1 12rem; }
.attention { border: 2px solid var(--main); border-radius: .75rem; padding: 0 1rem; margin: 0 0 1.5rem; }
.attention h2 { border: 0; margin: 0; padding: 1rem 0 0; }
.attention .rows { margin: 0; }
[data-passkey=sign-in] { margin: 0 0 .6rem; }
.back { margin: 0 0 .25rem; }
.both { display: flex; flex-wrap: wrap; gap: .75rem; }
.good::first-letter { text-transform: uppercase; }
.rows li { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem; padding: .75rem 0; border-bottom: 1px solid var(--line); }
.sheet > :last-child, .sheet > form:last-child > :last-child { margin-bottom: 0; }
.rows form { margin: 0; }
.rows :is(button, .button) { min-height: 2.25rem; padding: .3rem .9rem; font-size: .9rem; }
.rows button.main, [data-passkey=sign-in] button.main { background: var(--sheet); border-color: var(--soft); color: inherit; }
.rows small { margin: 0; }
.rows time { color: var(--soft); font-size: .9rem; }
.tag { display: inline-block; background: var(--wash); border-radius: 1rem; padding: .05rem .65rem; font-size: .85rem; font-weight: 500; }
.tag.on { background: var(--good); }
dl { display: grid; gap: .1rem 1.5rem; margin: 0 0 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13rem), 1fr)); }
dl > div { min-width: 0; }
dt { color: var(--soft); font-size: .9rem; }
dd { margin: 0 0 .6rem; }
pre { background: var(--wash); border-radius: .6rem; padding: 1rem; overflow-x: auto; font-size: .85rem; }
.qr svg { display: block; width: min(100%, 14rem); height: auto; border-radius: .6rem; }
meter { width: 100%; max-width: 20rem; height: .9rem; display: block; accent-color: var(--main); }
@media print { .skip, .bar, header, footer, nav, .opens, button, .button { display: none !important; } }
footer { display: flex; flex-wrap: wrap; gap: 0 1.1rem; padding-bottom: 2rem; color: var(--soft); font-size: .9rem; }
`
}

/** Red, green and blue, each 0 to 255. */
type Color = [number, number, number]

const white = "#ffffff"

function partsOf(color: string): Color {
  const part = (at: number) => Number.parseInt(color.slice(at, at + 2), 16)
  return [part(1), part(3), part(5)]
}

/** Returns the relative luminance of WCAG 2.2, from 0 (black) to 1 (white). */
function luminance(color: string) {
  const [red, green, blue] = partsOf(color).map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
}

/** Returns the contrast of two colors such as #0b6e4f, from 1 to 21. Text needs 4.5. */
export function contrast(text: string, background: string) {
  const [bright = 0, dark = 0] = [luminance(text), luminance(background)].toSorted((a, b) => b - a)
  return (bright + 0.05) / (dark + 0.05)
}

/** Mixes in as much white as the color needs to be legible on a dark background. */
export function lightenedOn(color: string, background: string) {
  const steps = Array.from({ length: 21 }, (_, step) => mix(color, white, step / 20))
  return steps.find((step) => contrast(step, background) >= 4.5) ?? white
}

function mix(color: string, blend: string, share: number) {
  const added = partsOf(blend)
  const parts = partsOf(color).map((part, at) => {
    const mixed = Math.round(part + ((added[at] ?? 0) - part) * share)
    return mixed.toString(16).padStart(2, "0")
  })
  return `#${parts.join("")}`
}
