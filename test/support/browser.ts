// A real browser for tests: the Chromium of the package @sparticuz/chromium, with fonts of its own, so that no machine changes
// what a page looks like. Start one for each test file, and close it at the end. TRIVIUM_TEST_BROWSER=system takes the Chromium or
// Chrome of the system, with its fonts; a path names any other.

import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { type Program, packagedChromium } from './browser/packaged-chromium.ts'

export type { Browser, Locator, Page } from 'playwright-core'

const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']
const SYSTEM_PATHS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

export async function startBrowser(): Promise<Browser> {
  const wanted = process.env.TRIVIUM_TEST_BROWSER ?? (isPackaged() ? 'packaged' : 'system')
  if (wanted === 'packaged') return launchTwice(await packagedChromium())
  if (isAbsolute(wanted)) return launch({ executablePath: wanted })
  if (wanted !== 'system')
    throw new Error(`TRIVIUM_TEST_BROWSER is "${wanted}"; expected "packaged", "system" or the path of a browser`)
  const system = [...SYSTEM_NAMES.map((name) => Bun.which(name)), ...SYSTEM_PATHS.filter((path) => existsSync(path))]
  for (const executablePath of system) {
    // What the system has may be a stub that only tells how to install the real one.
    const browser = executablePath === null ? undefined : await launch({ executablePath }).catch(() => undefined)
    if (browser !== undefined) return browser
  }
  throw new Error('These tests need Chromium: npm has it for Linux on x64 only; install it, or Chrome, on this system.')
}

const isPackaged = (): boolean => process.platform === 'linux' && process.arch === 'x64'

/** On a busy machine the browser crashes now and then as it starts, before it has a page. */
const launchTwice = (program: Program): Promise<Browser> =>
  launch(program).catch((error) => {
    if (String(error).includes('signal=SIG')) return launch(program)
    throw error
  })

function launch({ executablePath, env }: Program): Promise<Browser> {
  const own = env === undefined ? {} : { env: { ...process.env, ...env } }
  return chromium.launch({ executablePath, ...own, args: ['--autoplay-policy=no-user-gesture-required'] })
}
