import { html, raw } from "hono/html"

/** A complete document without scripts; the sandbox serves its style sheet. */
export function page(title: string, content: ReturnType<typeof html>) {
  return html`${raw("<!doctype html>")}
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`
}

export const style = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0 } main { max-width: 46rem; margin: 2.5rem auto; padding: 0 1.25rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.05rem; margin: 0 }
article { border: 1px solid color-mix(in srgb, currentColor 22%, transparent); border-radius: .6rem;
  padding: 1rem 1.2rem; margin: 1rem 0 }
article p, .note { margin: .2rem 0 .6rem; opacity: .75; font-size: .9rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font: inherit }
form { display: inline-block; margin: .4rem .6rem .4rem 0 }
button { font: inherit; padding: .45rem 1rem; border-radius: .45rem; border: 1px solid; cursor: pointer }
.price { font-size: 2rem; margin: .2rem 0 1rem }`
