// The console by keyboard alone: what has the focus is always to be seen.
import { expect } from 'bun:test'
import type { Locator, Page } from '../browser.ts'
import { eventually } from '../eventually.ts'

const MOST_PRESSES = 60

/** Presses Tab until the element has the focus: it must be on the way of the keyboard, and everything on this way must show its focus. */
export async function tabTo(page: Page, element: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await element.waitFor({ state: 'attached' })
  for (let presses = 0; presses < MOST_PRESSES; presses++) {
    if (await hasFocus(element)) return
    await page.keyboard.press(key)
    await expectVisibleFocus(page)
  }
  throw new Error(`the keyboard does not reach ${element}`)
}

const hasFocus = (element: Locator): Promise<boolean> => element.evaluate((found) => found.matches(':focus'))

/** Where the console itself has moved the focus to. */
export async function expectFocus(page: Page, element: Locator): Promise<void> {
  await eventually(() => hasFocus(element))
  await expectVisibleFocus(page)
}

export async function expectVisibleFocus(page: Page): Promise<void> {
  expect(await page.evaluate(FOCUS)).toMatchObject({ isVisible: true })
}

/** The choices of a group are hidden inputs: there the label shows the focus. The end of the page leads out of it, to the body. */
const FOCUS = `(() => {
  const focused = document.activeElement
  const isShown = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    const { width, height } = element.getBoundingClientRect()
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0 && width > 2 && height > 2
  }
  const shown = focused.matches('input[type=radio]') ? focused.closest('label') : focused
  return { isVisible: focused === document.body || isShown(shown), focused: focused.outerHTML.slice(0, 300) }
})()`
