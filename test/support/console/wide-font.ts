// A font whose letters are a fifth wider than those of the usual one: pages must fit the screen with the fonts of any system. It comes
// from the page's own origin, which its content security policy allows.
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { packagedChromium } from '../browser/packaged-chromium.ts'
import type { Page } from '../browser.ts'

const FILE = 'wide-font.ttf'
const STYLE = `
@font-face { font-family: "Wide"; src: url("${FILE}") format("truetype"); size-adjust: 120%; }
:root { --font-sans: "Wide", "Noto Sans SC" !important; --font-mono: "Wide" !important; }`

/** For the pages that follow. */
export async function addWideFont(page: Page): Promise<void> {
  const { executablePath } = await packagedChromium()
  const fonts = join(dirname(executablePath), 'fonts')
  const [name = ''] = (await readdir(fonts, { recursive: true })).filter((each) =>
    each.endsWith('OpenSans-Regular.ttf'),
  )
  await page.route('**/console/assets/main-*.css', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: `${await response.text()}\n${STYLE}` })
  })
  await page.route(`**/console/assets/${FILE}`, (route) =>
    route.fulfill({ path: join(fonts, name), contentType: 'font/ttf' }),
  )
}
