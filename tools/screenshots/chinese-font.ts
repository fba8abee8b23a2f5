// The browser of tests has one font, without Chinese. The console names this one in its list of fonts, so it only has to be there:
// the page gets it from its own origin, which its content security policy allows.
import { join } from 'node:path'
import type { Page } from '../../test/support/browser.ts'

const FILES = join(import.meta.dir, '../../node_modules/@fontsource/noto-sans-sc/files')
const WEIGHTS = [400, 500, 600]
const nameOf = (weight: number): string => `noto-sans-sc-chinese-simplified-${weight}-normal.woff2`

const FACES = WEIGHTS.map(
  (weight) =>
    `@font-face { font-family: "Noto Sans SC"; font-weight: ${weight}; src: url("${nameOf(weight)}") format("woff2"); }`,
).join('\n')

/** For the pages that follow. */
export async function addChineseFont(page: Page): Promise<void> {
  await page.route('**/console/assets/main-*.css', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: `${FACES}\n${await response.text()}` })
  })
  for (const weight of WEIGHTS)
    await page.route(`**/console/assets/${nameOf(weight)}`, (route) =>
      route.fulfill({ path: join(FILES, nameOf(weight)), contentType: 'font/woff2' }),
    )
}
