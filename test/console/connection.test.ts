// A console whose gateway is away for a while, or has other files after an upgrade: pages come back by themselves.
import { expect, test } from 'bun:test'
import type { Page } from '../support/browser.ts'
import { useConsole } from '../support/console/use-console.ts'
import { eventually } from '../support/eventually.ts'

const { visit, newAccount } = useConsole()

const openPage = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click()
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true, level: 1 })

test('a page that was opened offline loads when the browser is online again, and at the next visit', async () => {
  await visit('/', { account: await newAccount() }, async ({ page }) => {
    await heading(page, 'Overview').waitFor()
    await page.context().setOffline(true)
    await openPage(page, 'Wallet')
    await page.getByText('The gateway could not be reached').waitFor()
    // The error is not the console's.
    expect(await page.getByText('An error in the console').count()).toBe(0)
    await openPage(page, 'Overview')
    await heading(page, 'Overview').waitFor()
    await openPage(page, 'Settings')
    await page.getByText('The gateway could not be reached').waitFor()
    await page.context().setOffline(false)
    await heading(page, 'Settings').waitFor()
    await openPage(page, 'Overview')
    await heading(page, 'Overview').waitFor()
    await openPage(page, 'Wallet')
    await heading(page, 'Wallet').waitFor()
  })
})

test('a page whose file is gone after an upgrade reloads the console once, not forever', async () => {
  await visit('/', { account: await newAccount() }, async ({ page }) => {
    await heading(page, 'Overview').waitFor()
    let loads = 0
    let isGone = true
    page.on('load', () => loads++)
    const known = (await page.evaluate(`performance.getEntriesByType('resource').map(({ name }) => name)`)) as string[]
    await page.route('**/console/assets/chunk-*.js', (route) =>
      isGone && !known.includes(route.request().url()) ? route.fulfill({ status: 404, body: '' }) : route.continue(),
    )
    await openPage(page, 'Wallet')
    await page.getByText('The gateway could not be reached').waitFor()
    await eventually(() => loads === 1)
    await page.getByText('The gateway could not be reached').waitFor()
    expect(loads).toBe(1)
    isGone = false
    await page.getByRole('button', { name: 'Retry' }).click()
    await heading(page, 'Wallet').waitFor()
  })
})
