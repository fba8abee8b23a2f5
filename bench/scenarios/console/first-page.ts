// The first page after sign-in, in a browser that has never seen the console: from the navigation until a frame shows the newest
// request, where it can be clicked, and what the browser loads for it.
import { type Browser, startBrowser } from '../../../test/support/browser.ts'
import { COOKIE } from '../../../test/support/gateway/console.ts'
import type { FilledGateway } from './account.ts'

export type FirstPage = { milliseconds: number[]; scriptBytes: number }

/** Asked in every frame, by the page itself: the protocol to the browser takes longer than the page on a busy machine. */
const WATCH = `requestAnimationFrame(function watch() {
  const button = document.querySelector('tbody button')
  const box = button?.getBoundingClientRect()
  const shown = box && document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
  if (shown && button.contains(shown)) window.clickableAt = performance.now()
  else requestAnimationFrame(watch)
})`

/** Compressed, as they were sent. */
const SCRIPT_BYTES = `performance.getEntriesByType('resource')
  .filter(({ name }) => name.endsWith('.js'))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`

export async function openFirstPage(filled: FilledGateway, rounds: number): Promise<FirstPage> {
  // The gateway bundles the console once, when it starts.
  await fetch(`${filled.gateway.url}/console`).then((response) => response.text())
  const browser = await startBrowser()
  try {
    const opened: { milliseconds: number; scriptBytes: number }[] = []
    // The first one also starts processes of the browser.
    for (let round = -1; round < rounds; round++) opened.push(await openOnce(browser, filled))
    const [, ...counted] = opened
    return {
      milliseconds: counted.map(({ milliseconds }) => milliseconds),
      scriptBytes: Math.max(...counted.map(({ scriptBytes }) => scriptBytes)),
    }
  } finally {
    await browser.close()
  }
}

async function openOnce(browser: Browser, { gateway, client }: FilledGateway) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  await context.addCookies([{ name: COOKIE, value: client.token() ?? '', url: gateway.url }])
  const page = await context.newPage()
  await page.addInitScript(WATCH)
  await page.goto(`${gateway.url}/console/`, { waitUntil: 'commit' })
  await page.locator('tbody button').first().click({ trial: true })
  const milliseconds = Number(await page.evaluate('window.clickableAt'))
  const scriptBytes = Number(await page.evaluate(SCRIPT_BYTES))
  await context.close()
  return { milliseconds, scriptBytes }
}
