// Alerts in the operators' console: what is open, mutes, thresholds, tests of targets, and what a role may not do.
import { afterAll, expect, test } from 'bun:test'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import { expectWellShown, OPPOSITES } from '../../test/support/console/page.ts'
import type { GatewayOptions } from '../../test/support/gateway/gateway.ts'
import { newHomeWithTables } from '../../test/support/gateway/home.ts'
import { useOperators } from '../../test/support/operators.ts'

const received: { type: string }[] = []
const hook = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    received.push((await request.json()) as (typeof received)[number])
    return new Response(null, { status: 204 })
  },
})
afterAll(() => hook.stop(true))

const CONFIG = `
alerts:
  webhooks: [{ url: "${hook.url}", secret: whsec_${Buffer.alloc(32, 7).toString('base64')} }]
  allow_private: true
`

/** An alert that fired before the start, so that no test waits until one does. */
async function withAlert(): Promise<GatewayOptions> {
  const home = await newHomeWithTables('sqlite', CONFIG)
  const { alerts, close } = await openSqlite(home.dataDir)
  const since = Date.now() - 600_000
  const full = { rule: 'disk_full', object: 'gw-1 /data', value: '95 % used', since }
  await alerts.fire((await alerts.begin(full))?.id ?? 0n, since, [{ target: 'webhook gone', body: '{}' }])
  const failing = {
    rule: 'error_rate',
    object: '',
    value: '10 of 20 requests of the last 5 minutes failed (50 %)',
    since,
  }
  await alerts.fire((await alerts.begin(failing))?.id ?? 0n, since, [])
  await close()
  return { home }
}

const open = useOperators(withAlert)
const { visit, as } = open
const DISK = 'A disk is nearly full'

test('an open alert is listed and muted; what it was sent to can be tested', async () => {
  await visit('/operate/alerts', { account: await as('admin') }, async ({ page }) => {
    const openAlerts = page.getByRole('table', { name: 'Open' })
    await openAlerts.getByText(DISK).waitFor()
    await openAlerts.getByText('gw-1 /data').waitFor()
    await openAlerts.getByText(/^(Pending|Failed): 1$/).waitFor()
    await openAlerts.getByRole('button', { name: `Manage "${DISK}"` }).click()
    await page.getByRole('menuitem', { name: 'Mute for 8 hours' }).click()
    await page.getByRole('dialog').getByText('The alert is listed but not sent.').waitFor()
    await page.getByRole('button', { name: 'Mute', exact: true }).click()
    await openAlerts.getByText('Muted until').waitFor()
    await page.getByRole('button', { name: 'Send a test to webhook' }).click()
    await page.getByText('The test was delivered.').waitFor()
    expect(received.at(-1)?.type).toBe('alert.test')
    await expectWellShown(page, 'operate-alerts', OPPOSITES)
    // It may have been resolved by now.
    await page.getByRole('main').getByRole('link', { name: 'Requests', exact: true }).click()
    await page.waitForURL(/requests\?outcome=errors&from=20/)
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
  })
})

test('a threshold is a setting: its change is shown before, and the default comes back', async () => {
  await visit('/operate/alerts', { account: await as('owner') }, async ({ page }) => {
    const rule = page.getByRole('table', { name: 'Rules' }).getByRole('row').filter({ hasText: 'Many requests fail' })
    await rule.getByText('20%').waitFor()
    const manage = async (item: string) => {
      await rule.getByRole('button', { name: 'Manage "Many requests fail"' }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await manage('Change the threshold')
    await page.getByLabel('Fires at').fill('often')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').getByText('is not a percentage').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await manage('Change the threshold')
    await page.getByLabel('Fires at').fill('35%')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await rule.getByText('35%').waitFor()
    await rule.getByText('(default 20%)').waitFor()
    await manage('Reset to the default, 20%')
    await page.getByRole('button', { name: 'Save' }).click()
    await rule.getByText('(default 20%)').waitFor({ state: 'detached' })
    await rule.getByText('20%').waitFor()
  })
})

test('a viewer sees alerts, and who could mute them', async () => {
  await visit('/operate/alerts', { account: await as('viewer') }, async ({ page }) => {
    await page
      .getByRole('table', { name: 'Open' })
      .getByRole('button', { name: `Manage "${DISK}"` })
      .click()
    const item = page.getByRole('menuitem', { name: /Mute for 1 hour \(Needs admin/i })
    expect(await item.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('button', { name: 'Send a test to webhook' }).isDisabled()).toBe(true)
  })
})
