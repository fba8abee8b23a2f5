// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is the syntax of the file
// The pages Configuration and System: entries with their source, settings saved as one revision, revisions compared and restored, export and
// import, a test email, and the state of the gateway itself.
import { afterAll, describe, expect, test } from 'bun:test'
import { SETTING_FIELDS } from '../../packages/gateway/src/config/settings/table.ts'
import { SMTP_CERTIFICATE, startSmtp, type TestSmtp } from '../../packages/gateway/test-support/smtp-server.ts'
import type { Page } from '../../test/support/browser.ts'
import { expectWellShown, LANGUAGES, OPPOSITES } from '../../test/support/console/page.ts'
import { useOperators } from '../../test/support/operators.ts'

let smtp: TestSmtp
const open = useOperators(async () => {
  smtp = await startSmtp({ mode: 'smtps' })
  return {
    config: `
mail: { url: "smtps://localhost:${smtp.port}", from: gw@example.com, ca: ${SMTP_CERTIFICATE} }
server: { drain: 5s }
sandbox: true
registration: { open: true }
upstreams: [{ id: gone, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [none], allow_private: true }]
models: [{ id: filed, routes: [{ upstream: gone }], price: { input: 1, output: 2 } }]
`,
  }
})
const { visit, as } = open
afterAll(() => smtp?.stop())

const save = async (page: Page, name: string) => {
  const dialog = page.getByRole('dialog').last()
  await dialog.getByLabel('Reason').fill('a test')
  await dialog.getByRole('button', { name, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}
const row = (page: Page, id: string) => page.getByRole('listitem').filter({ has: page.getByText(id, { exact: true }) })

test('settings: a change is reviewed and saved as one revision, compared with others, and undone', async () => {
  await visit('/operate/configuration?tab=settings', { account: await as('admin') }, async ({ page }) => {
    await row(page, 'server.drain').getByText('trivium.yaml:3').waitFor()
    expect(await row(page, 'server.drain').getByRole('textbox').isDisabled()).toBe(true)
    await row(page, 'server.public_url').getByText('Needs owner').waitFor()
    await row(page, 'server.tls.cert').getByText('Only in the file').waitFor()
    await row(page, 'console.name').getByRole('textbox').fill('Our gateway')
    await row(page, 'retention.responses').getByRole('textbox').fill('soon')
    await page.getByText('2 changes').waitFor()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await row(page, 'retention.responses').getByText('is not').waitFor()
    await row(page, 'retention.responses').getByRole('textbox').fill('7d')
    await page.getByRole('button', { name: 'Review and save' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Our gateway').waitFor()
    await dialog.getByText('7d').waitFor()
    await save(page, 'Save')
    await row(page, 'console.name').getByText('Stored in revision 1').waitFor()
    await row(page, 'console.name').getByText('Default: Trivium').waitFor()

    await page.getByRole('tab', { name: 'Revisions' }).click()
    await page.getByText('Created setting console.name, retention.responses').waitFor()
    await page.getByRole('button', { name: 'Revision 0: nothing stored' }).click()
    await page.getByLabel('Compare with revision').selectOption('1')
    await page.getByText('Differences from revision 1').waitFor()
    await page.getByRole('button', { name: 'Restore' }).click()
    await save(page, 'Restore')
    await page.getByText('Deleted setting console.name, retention.responses').waitFor()
  })
})

test('a revision that does not exist says so, wherever it is linked to; other addresses below the page are none', async () => {
  for (const path of ['configuration/revisions/99', 'configuration?tab=revisions&revision=99'])
    await visit(`/operate/${path}`, { account: await as('admin') }, async ({ page }) => {
      const drawer = page.getByRole('dialog', { name: 'Revision 99' })
      await drawer.getByText('There is no such revision').waitFor()
      expect(await drawer.getByRole('button').allInnerTexts()).toEqual([''])
      await page.getByRole('tab', { name: 'Revisions', selected: true }).waitFor({ state: 'attached' })
    })
  for (const path of ['configuration/elsewhere', 'groups/staff'])
    await visit(`/operate/${path}`, { account: await as('admin') }, async ({ page }) => {
      await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    })
})

test('entries: each with its source and a way to its page; what cannot be in force says why', async () => {
  await visit('/operate/configuration', { account: await as('viewer') }, async ({ page }) => {
    const filed = page.getByRole('row').filter({ hasText: 'filed' })
    await filed.getByText('trivium.yaml:7').waitFor()
    expect(await filed.getByRole('link', { name: 'filed' }).getAttribute('href')).toContain('/operate/models')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('menuitem', { name: 'Source' }).click()
    await page.getByRole('combobox', { name: 'Source' }).selectOption('Built in')
    await filed.waitFor({ state: 'detached' })
    await page.getByText('sandbox-text').waitFor()
    expect(page.url()).toContain('from=built-in')
    await page.getByRole('tab', { name: 'Export and import' }).click()
    await page.getByText('Admins and owners can export').waitFor()
    await page
      .getByRole('button', { name: /Check and import/ })
      .and(page.locator(':disabled'))
      .waitFor()
  })
})

test('the text of a file is imported with values for its placeholders, after a dry run', async () => {
  await visit('/operate/configuration?tab=exchange', { account: await as('owner') }, async ({ page }) => {
    await page.getByLabel('Configuration file').getByText('drain: 5s').waitFor()
    await page
      .getByLabel(/Text of a configuration file/)
      .fill(
        'upstreams: [{ id: near, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: ["${NEAR_KEY}"] }]\nserver: { trusted_proxies: [10.0.0.0/8] }\n',
      )
    await page.getByRole('button', { name: 'Check and import' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('${NEAR_KEY} has no value').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Value of NEAR_KEY').fill('sk-near-0123456789')
    await page.getByRole('button', { name: 'Check and import' }).click()
    await dialog.getByText('upstream near.dialect').waitFor()
    await save(page, 'Import')
    await page.getByText('it can only be set in a file: server.trusted_proxies').waitFor()
  })
})

test('a test email shows what the mail server answers', async () => {
  await visit('/operate/configuration?tab=mail', { account: await as('owner') }, async ({ page }) => {
    await page.getByLabel('To', { exact: true }).fill('ada@example.com')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('accepted the email').waitFor()
    expect(smtp.mails.at(-1)?.to).toEqual(['ada@example.com'])
  })
  await visit('/operate/configuration?tab=mail', { account: await as('admin') }, async ({ page }) => {
    await page.getByText('Needs owner').waitFor()
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
  })
})

test('system: nodes, jobs, sizes, and the checks of doctor for those who may act', async () => {
  await visit('/operate/system', { account: await as('viewer') }, async ({ page }) => {
    await page.getByRole('region', { name: 'Nodes' }).getByText('Ready').first().waitFor()
    await page.getByRole('row').filter({ hasText: 'audit_log' }).or(page.getByText('Show all')).first().waitFor()
    await page
      .getByText(/SQLite|PostgreSQL/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Run the checks Needs admin' }).waitFor()
  })
  await visit('/operate/system', { account: await as('admin') }, async ({ page }) => {
    await page.getByRole('button', { name: 'Run the checks' }).click()
    await page.getByText(/checks? failed\./).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'upstream gone' }).getByText('Failed').waitFor()
  })
})

test('every setting has a description in Chinese', () => {
  expect(SETTING_FIELDS.filter(({ chinese }) => !/[\u3002\u4e00-\u9fff]/.test(chinese))).toEqual([])
})

describe.each(LANGUAGES)('in $locale', (view) => {
  test('all parts are well shown', async () => {
    // Each language at one width: the parts are the same.
    const views = OPPOSITES.filter(({ dark }) => dark === view.dark)
    await visit('/operate/configuration', { account: await as('owner'), ...view }, async ({ page }) => {
      for (const index of [0, 1, 2, 3, 4]) {
        await page.getByRole('tab').nth(index).click()
        await page.waitForLoadState('networkidle')
        await expectWellShown(page, `operate-configuration-${index}-${view.locale}`, views)
      }
      await page.goto(`${open.gateway.url}/console/operate/system`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
      await expectWellShown(page, `operate-system-${view.locale}`, views)
    })
  })
})
