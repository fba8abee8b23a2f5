// A console whose gateway is away for a while, or has other files after an upgrade: pages come back by themselves.
import { expect, test } from 'bun:test'
import type { Page } from '../../test/support/browser.ts'
import { expectWellShown, OPPOSITES } from '../../test/support/console/page.ts'
import { eventually } from '../../test/support/eventually.ts'
import { startGateway } from '../../test/support/gateway/gateway.ts'
import { useOperators } from '../../test/support/operators.ts'

const open = useOperators()
const { visit, newAccount } = open

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

const lossBar = (page: Page) =>
  page.getByRole('alert').filter({ hasText: /^No connection to the gateway since .+\. Figures are from then\.$/ })
const lossShown = (page: Page) => lossBar(page).waitFor()
const lossGone = (page: Page) => lossBar(page).waitFor({ state: 'detached' })

test('a gateway that hangs is noticed by the age of what was read', async () => {
  const { gateway } = open
  await visit('/', { account: await newAccount() }, async ({ page }) => {
    await page.clock.install()
    await page.reload()
    await heading(page, 'Overview').waitFor()
    gateway.signal('SIGSTOP')
    await page.clock.runFor(40_000)
    await lossShown(page)
    gateway.signal('SIGCONT')
    await page.clock.runFor(10_000)
    await lossGone(page)
  })
})

test('while the gateway is away, both consoles say of when their figures are, and recover by themselves', async () => {
  const { gateway, as } = open
  const account = await as('owner')
  await visit('/operate/overview', { account }, ({ page: operated }) =>
    visit('/', { account }, async ({ page: mine }) => {
      const pages = [operated, mine]
      await Promise.all([operated.getByText('Top accounts').first().waitFor(), heading(mine, 'Overview').waitFor()])
      await gateway.kill()
      await Promise.all(pages.map(lossShown))
      expect(await operated.locator('main[data-stale]').count()).toBe(1)
      await expectWellShown(operated, 'operate-overview-lost', OPPOSITES)
      const { port } = new URL(gateway.url)
      const again = await startGateway({ home: gateway.home, env: { PORT: port } })
      try {
        await Promise.all(pages.map(lossGone))
        expect(await operated.locator('main[data-stale]').count()).toBe(0)
        expect(await operated.getByText('Top accounts').count()).toBeGreaterThan(0)
      } finally {
        await again.kill()
      }
    }),
  )
})
