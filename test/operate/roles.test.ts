// What each role finds in the operators' console: pages that it may see, the place where it begins, and nothing for everyone else.
import { describe, expect, test } from 'bun:test'
import { expectWellShown, OPPOSITES } from '../support/console/page.ts'
import { ROLES, type Role, useOperators } from '../support/operators.ts'

const open = useOperators()
const { visit, as, newAccount } = open

const EVERYONE = [
  'Overview',
  'Requests',
  'Tasks',
  'Usage',
  'Accounts',
  'Keys',
  'Codes',
  'Upstreams',
  'Models',
  'Groups',
  'Ledger',
  'Budgets',
  'Alerts',
  'Audit log',
  'Configuration',
  'System',
  'Documentation',
]
/** Besides what everyone with a role sees. */
const MORE: Readonly<Record<Role, readonly string[]>> = {
  owner: ['Margin', 'People'],
  admin: ['Margin', 'People'],
  finance: ['Margin'],
  support: [],
  viewer: [],
}
const LANDING: Readonly<Record<Role, string>> = {
  // There is no upstream yet.
  owner: 'Set up your gateway',
  admin: 'Set up your gateway',
  finance: 'Margin',
  support: 'Accounts',
  viewer: 'Overview',
}

describe.each(ROLES.map((role) => ({ role })))('$role', ({ role }) => {
  test('finds its pages, begins at its own, and others do not exist', async () => {
    await visit('/operate', { account: await as(role) }, async ({ page }) => {
      await page.getByRole('heading', { level: 1, name: LANDING[role] }).waitFor()
      const links = await page.getByRole('navigation', { name: 'Main' }).first().getByRole('link').allInnerTexts()
      expect(links.toSorted()).toEqual([...EVERYONE, ...MORE[role]].toSorted())
      await page.getByText(`Your role: ${role}`).waitFor()
      for (const hidden of ['margin', 'people']) {
        const isHidden = !MORE[role].some((name) => name.toLowerCase() === hidden)
        if (!isHidden) continue
        await page.goto(`${open.gateway.url}/console/operate/${hidden}`)
        await page.getByRole('heading', { name: 'Page not found' }).waitFor()
      }
    })
  })
})

test('someone without a role finds nothing there, and no switch', async () => {
  await visit('/operate', { account: await newAccount() }, async ({ page }) => {
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(await page.getByRole('link', { name: 'Operate' }).count()).toBe(0)
  })
})

test('the switch and the keys g a, g o lead from one place to the other', async () => {
  await visit('/', { account: await as('viewer') }, async ({ page }) => {
    await page.getByRole('link', { name: 'Operate', exact: true }).click()
    await page.getByText('Your role: viewer').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.getByText('Available').first().waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await page.getByText('Your role: viewer').waitFor()
  })
})

test('the frame is well shown on every screen, and on phones all pages are in reach', async () => {
  await visit('/operate/system', { account: await as('owner') }, async ({ page }) => {
    await page.getByRole('heading', { level: 1, name: 'System' }).waitFor()
    await expectWellShown(page, 'operate-frame', OPPOSITES)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Audit log' }).click()
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
  })
})

test('search by keyboard finds pages, and what the gateway knows', async () => {
  await visit('/operate/system', { account: await as('viewer') }, async ({ page }) => {
    await page.getByRole('heading', { level: 1, name: 'System' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('audit')
    await page.getByRole('option', { name: 'Audit log' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
    await page.keyboard.press('Control+k')
    const owner = await as('owner')
    await page.getByRole('combobox').fill(owner.email)
    await page
      .getByRole('option', { name: `${owner.email} Account` })
      .first()
      .waitFor()
    await expectWellShown(page, 'operate-search', OPPOSITES)
    await page.getByRole('combobox').fill('nothing has this name')
    await page.getByText('Nothing found.').waitFor()
    await page.getByRole('combobox').fill('new group')
    await page.getByText('Nothing found.').waitFor()
  })
})

test('the search opens the dialog of an act that is typed', async () => {
  await visit('/operate/system', { account: await as('owner') }, async ({ page }) => {
    const { email } = await as('owner')
    for (const [typed, option, title] of [
      ['new group', 'Add a group Act', 'Add a group'],
      [`add credit to ${email}`, `Add credit to ${email} Act`, /^Add credit to/],
    ] as const) {
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill(typed)
      await page.getByRole('option', { name: option }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: title }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog', { name: title }).waitFor({ state: 'detached' })
      await page.waitForURL((url) => !url.searchParams.has('act'))
    }
  })
})
