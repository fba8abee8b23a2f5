// Choosing in a field with a list that can be searched.
import type { Locator, Page } from '../browser.ts'

/** Types the text, and takes the option that has exactly this text. */
export async function choose(page: Page | Locator, label: string, option: string): Promise<void> {
  const field = page.getByRole('combobox', { name: label, exact: true })
  await field.click()
  await field.fill(option)
  await page.getByRole('option', { name: option, exact: true }).click()
}
