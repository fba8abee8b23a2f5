// The link that the first start prints: one click from the terminal to the console.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'

const linkIn = (stdout: string) => /^ {2}(\S+)\/console\/setup#(\S+)$/m.exec(stdout)

type Session = { account: { email: string; has_password: boolean }; may_set_password: boolean; balance_usd: string }

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({ engine })
  })
  afterAll(() => gateway.stop())

  test('signs in as the account of the key, once, and lets it choose a password', async () => {
    const [, url = '', token = ''] = linkIn(gateway.output().stdout) ?? []
    expect(url).toBe(gateway.url)
    expect(gateway.output().stdout.match(/sk-/g)).toHaveLength(1)
    const client = consoleClient(gateway.url)
    expect(outcomeOf(await client.post('setup', { token: 'x'.repeat(43) }))).toBe('410 link_expired')
    expect(outcomeOf(await client.post('setup', { token }))).toBe('204')
    const { body } = await client.get<Session>('session')
    expect(body).toMatchObject({ may_set_password: true, balance_usd: '10.00', account: { has_password: false } })
    const { email } = body.account
    expect(email).toBe('newcomer@trivium.local')

    const second = consoleClient(gateway.url)
    const used = await second.post('setup', { token })
    expect([outcomeOf(used), second.token()]).toEqual(['410 link_expired', undefined])
    expect(used.body.error?.message).toContain('was used before')

    expect(outcomeOf(await client.post('password', { password: 'short' }))).toBe('400 bad_request')
    expect(outcomeOf(await client.post('password', { password: PASSWORD }))).toBe('204')
    expect((await client.get<Session>('session')).body.may_set_password).toBe(false)
    // From now on the former password is required.
    expect(outcomeOf(await client.post('password', { password: 'another password' }))).toBe('403 wrong_password')
    expect(outcomeOf(await second.post('sign-in', { email, password: PASSWORD }))).toBe('200')
    const everything = JSON.stringify(gateway.output().stderr)
    expect(everything).not.toContain(token)
    expect(everything).not.toContain(client.token() ?? '?')
  })

  test('a second start prints none', async () => {
    const { home } = gateway
    await gateway.kill()
    gateway = await startGateway({ home })
    expect(gateway.output().stdout).toContain(`  console  ${gateway.url}/console\n`)
    expect(gateway.output().stdout).not.toContain('/console/setup')
  })
})

test('two browsers that open the link at once: one is signed in', async () => {
  const gateway = await startGateway()
  const [, , token = ''] = linkIn(gateway.output().stdout) ?? []
  const clients = Array.from({ length: 6 }, () => consoleClient(gateway.url))
  const outcomes = await Promise.all(clients.map((client) => client.post('setup', { token }).then(outcomeOf)))
  expect(outcomes.sort()).toEqual(['204', ...Array(5).fill('410 link_expired')])
  const signedIn = await Promise.all(clients.map(async (client) => (await client.get('session')).status))
  expect(signedIn.filter((status) => status === 200)).toHaveLength(1)
  await gateway.stop()
})

test('a gateway with a vendor key has no such account, and prints no link', async () => {
  const gateway = await startGateway({ env: { OPENAI_API_KEY: 'hunter2' } })
  expect(gateway.output().stdout).not.toContain('/console/setup')
  await gateway.stop()
})
