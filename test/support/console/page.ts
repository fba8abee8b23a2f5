// A page of the console in a real browser, which collects what a person would not notice: script errors, violations of the
// content security policy, and faults of accessibility.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from '../browser.ts'

const AXE = readFileSync(join(import.meta.dir, '../../../node_modules/axe-core/axe.min.js'), 'utf8')

export type ConsolePage = {
  page: Page
  /** Of scripts and of the content security policy, since the page was opened. */
  problems: string[]
  close(): Promise<void>
}

export type View = { width?: number; dark?: boolean; locale?: string }

export const WIDTHS = [1280, 360] as const
/** Each test may be slow on a busy machine; what never appears is a fault. */
const LONGEST_MS = 40_000

export async function openConsole(browser: Browser, url: string, path: string, view: View = {}): Promise<ConsolePage> {
  const { width = 1280, dark = false, locale = 'en-GB' } = view
  const context = await browser.newContext({
    ...{ viewport: { width, height: width < 720 ? 740 : 800 }, colorScheme: dark ? 'dark' : 'light', locale },
    ...{ timezoneId: 'Europe/Berlin', hasTouch: width < 720 },
  })
  context.setDefaultTimeout(LONGEST_MS)
  const page = await context.newPage()
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

type AxeResult = {
  violations: { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] }[]
}

/** Serious and critical faults of what is shown now. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the content security policy does not concern.
  await page.evaluate(`${AXE}; undefined`)
  const { violations } = (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'], rules: { 'color-contrast': { enabled: true } } })`,
  )) as AxeResult
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary ?? ''}`))
}

/** By how many pixels the page is wider than the screen. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - window.innerWidth') as Promise<number>
