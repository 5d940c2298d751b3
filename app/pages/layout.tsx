import type { Child } from "hono/jsx"

import type { Page } from "./form.tsx"
import { pageScript } from "./page-script.ts"
import type { Visit } from "./visit.ts"
import { languageNames } from "./words/words.ts"

type LayoutProps = {
  visit: Visit
  title: string
  stylesheet: string
  /** Pages of the menu. Empty without a session, and on a page that is one of several steps. */
  menu: Page[]
  page: Page | undefined
  children: Child
}

function said({ words, message: { done = "" } }: Visit) {
  // The log's name of the action is the fallback.
  const texts: Record<string, string> = { ...words.actions, ...words.done }
  return Object.hasOwn(texts, done) ? texts[done] : undefined
}

/** The frame of every page. */
export function Layout({ visit, title, stylesheet, menu, page, children }: LayoutProps) {
  const { words, session, language, settings } = visit
  const { name = "Accounts", logo, home = "/" } = settings.look
  const message = said(visit)
  const parent = menu.find(({ path }) => path === page?.parent)
  const content = (
    <div class="sheet">
      {parent && (
        <p class="back">
          <a href={parent.path}>{parent.title(words)}</a>
        </p>
      )}
      <h1>{title}</h1>
      {message !== undefined && (
        <p class="good" role="status">
          {message}
        </p>
      )}
      {children}
    </div>
  )
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} – ${name}`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={stylesheet} />
        <script src={pageScript.path} defer />
      </head>
      <body>
        <a class="skip" href="#content">
          {words.skip}
        </a>
        <LocalBar visit={visit} />
        <header>
          <a class="name" href={home}>
            {logo !== undefined && <img src={logo} alt="" height="32" />}
            {name}
          </a>
          {session && (
            <span class="who">
              {words.signedInAs(session.user.name)}
              <a href="/sign-out">{words.signOut}</a>
            </span>
          )}
        </header>
        {menu.length > 0 ? (
          <main id="content" class="wide">
            <Menus visit={visit} menu={menu} at={page?.parent ?? visit.path} />
            {content}
          </main>
        ) : (
          <main id="content" class="narrow">
            {content}
          </main>
        )}
        <footer>
          <Links visit={visit} />
          <Languages visit={visit} />
        </footer>
      </body>
    </html>
  )
}

/** A button opens the menu on a phone. In a browser without popovers the menu is above the page. */
function Menus({ visit, menu, at }: { visit: Visit; menu: Page[]; at: string }) {
  const { words } = visit
  const forAdmins = menu.filter(({ audience }) => audience === "admin")
  const forMembers = menu.filter(({ audience }) => audience !== "admin")
  return (
    <div>
      <button class="opens" popovertarget="menu">
        {words.menu}
      </button>
      <div id="menu" popover>
        <Menu name={words.menu} pages={forMembers} visit={visit} at={at} />
        {forAdmins.length > 0 && (
          <Menu name={words.adminMenu} pages={forAdmins} visit={visit} at={at} />
        )}
      </div>
    </div>
  )
}

type MenuProps = { name: string; pages: Page[]; visit: Visit; at: string }

function Menu({ name, pages, visit, at }: MenuProps) {
  return (
    <nav aria-label={name}>
      <p aria-hidden="true">{name}</p>
      <ul>
        {pages.map(({ path, title }) => (
          <li>
            <a href={path} {...(at === path && { "aria-current": "page" })}>
              {title(visit.words)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Links to the operator's pages. */
function Links({ visit: { settings, words } }: { visit: Visit }) {
  const links: Record<string, string | undefined> = settings.look.links ?? {}
  return Object.entries(words.links).map(([name, text]) => {
    const href = links[name]
    return href !== undefined && <a href={href}>{text}</a>
  })
}

/** Links to the other languages, each named in itself. */
function Languages({ visit }: { visit: Visit }) {
  const { language, settings } = visit
  const offered: string[] = settings.look.languages ?? Object.keys(languageNames)
  const languages = Object.entries(languageNames).filter(
    ([code]) => code !== language && offered.includes(code),
  )
  return languages.map(([code, name]) => (
    <a href={visit.here({ language: code })} lang={code} hreflang={code}>
      {name}
    </a>
  ))
}

/** Links the programs that run beside a local service, such as its mailbox. */
function LocalBar({ visit }: { visit: Visit }) {
  const { settings, words } = visit
  if (settings.environment !== "local") return null
  const links: Record<string, string> = words.localLinks
  return (
    <aside class="bar" aria-label={words.local}>
      <strong>{words.local}</strong>
      {settings.localPages.map(([name, page]) => (
        <a href={page}>{links[name] ?? name}</a>
      ))}
      <a href="/api/v1/docs">{links["docs"]}</a>
    </aside>
  )
}

/** Renders a text, such as a failure's, with an optional link. */
export function Notice({ text, to, link }: { text: string; to?: string; link?: string }) {
  return (
    <>
      <p>{text}</p>
      {to !== undefined && (
        <p>
          <a class="button" href={to}>
            {link}
          </a>
        </p>
      )}
    </>
  )
}
