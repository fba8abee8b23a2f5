// The operators' console on PostgreSQL with two nodes: every page opens on either, and what is changed on one is in force on the other.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, startBrowser } from '../../test/support/browser.ts'
import { openConsole } from '../../test/support/console/page.ts'
import { eventually } from '../../test/support/eventually.ts'
import { consoleClient, outcomeOf, PASSWORD } from '../../test/support/gateway/console.ts'
import { chat, type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { homeOnSameDatabase } from '../../test/support/gateway/home.ts'

const OWNER = 'olivia@example.com'
const HELLO = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }
let one: Gateway
let other: Gateway
let browser: Browser
beforeAll(async () => {
  one = await startGateway({ engine: 'postgres' })
  const starting = startGateway({ home: homeOnSameDatabase(one.home, '') })
  await one.command('account', 'create', '--email', OWNER, '--password', PASSWORD, '--credit', '5')
  await one.command('person', 'role', '--email', OWNER, '--role', 'owner')
  ;[other, browser] = await Promise.all([starting, startBrowser()])
})
afterAll(async () => {
  await browser.close()
  await other.stop()
  await one.stop()
})

/** With the main heading of each. */
const PAGES = [
  ['overview', 'Overview'],
  ['requests', 'Requests'],
  ['tasks', 'Tasks'],
  ['usage', 'Usage'],
  ['accounts', 'Accounts'],
  ['keys', 'Keys'],
  ['codes', 'Codes'],
  ['upstreams', 'Upstreams'],
  ['models', 'Models'],
  ['groups', 'Groups'],
  ['ledger', 'Ledger'],
  ['margin', 'Margin'],
  ['alerts', 'Alerts'],
  ['people', 'People'],
  ['audit-log', 'Audit log'],
  ['configuration', 'Configuration'],
  ['system', 'System'],
] as const

test('every page opens on both nodes, and a group that is added on one is offered on the other', async () => {
  const client = consoleClient(one.url)
  expect(outcomeOf(await client.post('sign-in', { email: OWNER, password: PASSWORD }))).toBe('200')
  const { secret } = (await client.post<{ secret: string }>('keys', { name: 'smoke' })).body
  for (const { url } of [one, other]) expect((await chat(url, secret, HELLO)).status).toBe(200)

  const here = await openConsole(browser, one.url, '/operate/groups', {}, client.token())
  const there = await openConsole(browser, other.url, '/operate/overview', {}, client.token())
  await here.page.getByRole('button', { name: 'Add a group' }).click()
  const form = here.page.getByRole('dialog').first()
  await form.getByLabel('Group ID').fill('night')
  await form.getByLabel('Multiplier').fill('0.5')
  await form.getByRole('button', { name: 'Review' }).click()
  await here.page.getByRole('dialog').last().getByRole('button', { name: 'Add', exact: true }).click()
  await here.page.getByRole('row', { name: /night/ }).first().waitFor()

  const failed: string[] = []
  there.page.on('response', (response) => {
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`)
  })
  for (const [path, title] of PAGES) {
    await there.page.goto(`${other.url}/console/operate/${path}`)
    await there.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    await eventually(async () => (await there.page.locator('main .skeleton').count()) === 0)
  }
  expect(failed).toEqual([])
  await eventually(async () => {
    await there.page.goto(`${other.url}/console/operate/groups`)
    await there.page.getByRole('row', { name: /night/ }).first().waitFor({ timeout: 2_000 })
    return true
  })
  expect([here.problems, there.problems]).toEqual([[], []])
})
