// How a page of the console behaves while its data is late or fails.
import { expect } from 'bun:test'
import type { Page } from '../browser.ts'

const API = '**/console/api/'

/** Loads the page with data that comes when its skeleton is on screen, and expects that nothing moves then. */
export async function expectNoShift(page: Page, url: string, isLoaded: () => Promise<unknown>): Promise<void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(`${API}**`, async (route) => {
    // The frame of the page comes with the session.
    if (!/\/(session|about)$/.test(new URL(route.request().url()).pathname)) await released
    await route.continue()
  })
  await page.goto(url)
  await page.locator('main .skeleton').first().waitFor()
  await page.evaluate(SHIFTS)
  release()
  await isLoaded()
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  expect(await page.evaluate('window.shifts')).toEqual([])
  await page.unroute(`${API}**`)
}

/** Collects what has moved, with the first element that did. A shift below a hundredth of the screen is not seen. */
const SHIFTS = `
  window.shifts = []
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      if (value >= 0.01) window.shifts.push({ value, moved: sources[0]?.node?.outerHTML?.slice(0, 200) })
  }).observe({ type: 'layout-shift' })
`

/** These paths of the API fail, until the returned function is called. */
export async function failFirst(page: Page, paths: readonly string[]): Promise<() => void> {
  let fails = true
  const error = { message: 'The test says so.', type: 'api_error', param: null, code: 'test' }
  for (const path of paths)
    await page.route(new RegExp(`/console/api/${path}(\\?|$)`), (route) =>
      // Not 500: the console would retry by itself, which takes a second.
      fails ? route.fulfill({ status: 418, json: { error } }) : route.continue(),
    )
  return () => {
    fails = false
  }
}
