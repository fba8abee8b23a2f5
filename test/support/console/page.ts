// A page of the console in a real browser, which collects what a person would not notice: script errors, violations of the
// content security policy, and faults of accessibility.

import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from '../browser.ts'
import { COOKIE } from '../gateway/console.ts'
import { addWideFont } from './wide-font.ts'

const AXE = readFileSync(join(import.meta.dir, '../../../node_modules/axe-core/axe.min.js'), 'utf8')

export type ConsolePage = {
  page: Page
  /** Errors of scripts and of the content security policy, since the page was opened. */
  problems: string[]
  close(): Promise<void>
}

/** `isMobile`: as a phone shows the page, whose layout grows with what is too wide. `wideFont`: letters are a fifth wider. */
export type View = { width?: number; dark?: boolean; locale?: string; isMobile?: boolean; wideFont?: boolean }

export const WIDTHS = [1280, 360] as const
/** Every width in both themes. */
export const VIEWS = WIDTHS.flatMap((width) => [false, true].map((dark) => ({ width, dark })))
/** The widths in one theme. */
export const inTheme = (dark: boolean) => VIEWS.filter((view) => view.dark === dark)
/** Each width and each theme once: enough for pages whose parts are checked elsewhere, too. */
export const OPPOSITES = [
  { width: 1280, dark: false },
  { width: 360, dark: true },
]
/** Texts of both languages, and colours of both themes, in two visits. */
export const LANGUAGES = [
  { locale: 'en-GB', dark: false },
  { locale: 'zh-CN', dark: true },
]
/** Each test may be slow on a busy machine; what never appears is a fault. */
const LONGEST_MS = 40_000

const sizeOf = (width: number) => ({ width, height: width < 720 ? 740 : 800 })
const schemeOf = (dark: boolean) => (dark ? 'dark' : 'light')

/** `token`: of a session, for a browser that is signed in from the start. */
export async function openConsole(
  browser: Browser,
  url: string,
  path: string,
  view: View = {},
  token?: string,
): Promise<ConsolePage> {
  const { width = 1280, dark = false, locale = 'en-GB', isMobile = false, wideFont = false } = view
  const context = await browser.newContext({
    viewport: sizeOf(width),
    colorScheme: schemeOf(dark),
    locale,
    timezoneId: 'Europe/Berlin',
    hasTouch: width < 720,
    isMobile,
  })
  context.setDefaultTimeout(LONGEST_MS)
  if (token !== undefined) await context.addCookies([{ name: COOKIE, value: token, url }])
  const page = await context.newPage()
  if (wideFont) await addWideFont(page)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    // Chromium logs every response with an error status, which is no problem of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text())
  })
  await page.goto(`${url}/console${path}`)
  return { page, problems, close: () => context.close() }
}

/** Filtered in the page: what all rules looked at is far more, and takes long to send. */
const FAULTS = `axe.run(document, { resultTypes: ['violations'], rules: { 'color-contrast': { enabled: true } } }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + '\\n' + (failureSummary ?? ''))))`

/** Serious and critical faults of what is shown now. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the content security policy does not concern.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(`${AXE}; undefined`)
  return (await page.evaluate(FAULTS)) as string[]
}

/** By how many pixels the page is wider than the screen, or its content wider than the room for it, beyond which it is clipped. */
export const overflow = (page: Page): Promise<number> => page.evaluate(OVERFLOW) as Promise<number>

const OVERFLOW = `(() => {
  const { scrollWidth, clientWidth } = document.querySelector('main') ?? document.documentElement
  return Math.max(document.documentElement.scrollWidth - window.innerWidth, scrollWidth - clientWidth)
})()`

/**
 * What is shown now fits the screen and has no serious faults, in each of the views. The same page shows them all: to open it again
 * for each, and to go through the same steps, takes far longer. TRIVIUM_SCREENSHOTS names a folder for people who look at pictures.
 */
export async function expectWellShown(page: Page, name: string, views: readonly Look[] = VIEWS): Promise<void> {
  const before = await viewOf(page)
  const folder = process.env.TRIVIUM_SCREENSHOTS
  for (const view of views) {
    const seen = `${name}-${view.width}${view.dark ? '-dark' : ''}`
    await setView(page, view)
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${seen}.png` })
    expect([seen, await accessibilityFaults(page), Math.max(0, await overflow(page))]).toEqual([seen, [], 0])
  }
  await setView(page, before)
}

type Look = Required<Pick<View, 'width' | 'dark'>>

const viewOf = (page: Page): Promise<Look> =>
  page.evaluate(
    `({ width: window.innerWidth, dark: matchMedia('(prefers-color-scheme: dark)').matches })`,
  ) as Promise<Look>

async function setView(page: Page, { width, dark }: Look): Promise<void> {
  await page.setViewportSize(sizeOf(width))
  await page.emulateMedia({ colorScheme: schemeOf(dark) })
  // Charts measure their width and are drawn again.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
}
