// Two gateways on one PostgreSQL: a session works on both, and ends on both.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { homeOnSameDatabase } from '../support/gateway/home.ts'

const EMAIL = 'ada@example.com'
let one: Gateway
let other: Gateway
beforeAll(async () => {
  one = await startGateway({ engine: 'postgres' })
  other = await startGateway({ home: homeOnSameDatabase(one.home, '') })
  await one.command('account', 'create', '--email', EMAIL, '--password', PASSWORD)
})
afterAll(async () => {
  await other.stop()
  await one.stop()
})

/** The same browser, sent to one gateway and to the other by a balancer. */
async function signedIn() {
  const [here, there] = [consoleClient(one.url), consoleClient(other.url)]
  await here.post('sign-in', { email: EMAIL, password: PASSWORD })
  there.setToken(here.token())
  expect([await here.get('session'), await there.get('session')].map(outcomeOf)).toEqual(['200', '200'])
  return { here, there }
}

test.each<[string, (client: ReturnType<typeof consoleClient>) => Promise<unknown>]>([
  ['sign-out', (client) => client.post('sign-out')],
  ['sign-out everywhere', (client) => client.post('sign-out-everywhere')],
  ['a disabled person', () => one.command('person', 'disable', '--email', EMAIL)],
])('%s on one ends the session on the other, with the next request', async (name, end) => {
  const { here, there } = await signedIn()
  await end(here)
  expect(outcomeOf(await there.get('session'))).toBe('401 not_signed_in')
  if (name === 'a disabled person') await one.command('person', 'enable', '--email', EMAIL)
})

test('a password that is changed on one ends the sessions on the other', async () => {
  const { here } = await signedIn()
  const { there } = await signedIn()
  expect(outcomeOf(await here.post('password', { current: PASSWORD, password: 'another password' }))).toBe('204')
  expect(outcomeOf(await there.get('session'))).toBe('401 not_signed_in')
  expect(outcomeOf(await here.post('password', { current: 'another password', password: PASSWORD }))).toBe('204')
})

test('guesses on both count together', async () => {
  await one.command('account', 'create', '--email', 'bob@example.com', '--password', PASSWORD)
  const outcomes: string[] = []
  for (let index = 0; index < 12; index++) {
    const client = consoleClient(index % 2 === 0 ? one.url : other.url)
    outcomes.push(outcomeOf(await client.post('sign-in', { email: 'bob@example.com', password: 'wrong password' })))
  }
  expect(outcomes).toEqual([...Array(10).fill('401 wrong_credentials'), '429 too_many_tries', '429 too_many_tries'])
})

test('the link of the first start works on either, once', async () => {
  const [, token = ''] = /\/console\/setup#(\S+)/.exec(one.output().stdout) ?? []
  expect(other.output().stdout).not.toContain('/console/setup')
  expect(outcomeOf(await consoleClient(other.url).post('setup', { token }))).toBe('200')
  expect(outcomeOf(await consoleClient(one.url).post('setup', { token }))).toBe('410 link_expired')
})
