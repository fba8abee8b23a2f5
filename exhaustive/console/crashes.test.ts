// kill -9 in the middle of a registration: the account exists as a whole or not at all, and its holder can sign in.
import { describe, expect, test } from 'bun:test'
import { consoleClient, outcomeOf, PASSWORD } from '../../test/support/gateway/console.ts'
import { startGateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES } from '../../test/support/gateway/home.ts'

const CONFIG = `
server: { trusted_proxies: [127.0.0.1] }
registration: { trial_credit: 2, trial_budget_per_day: 1000 }
`
const PEOPLE = 6

describe.each([...ENGINES])('%s', (engine) => {
  test('guesses that a crash cut off are no guesses', async () => {
    let gateway = await startGateway({ engine, config: CONFIG, realPasswords: true })
    const email = 'guessed@example.com'
    await gateway.command('account', 'create', '--email', email, '--password', PASSWORD)
    const signIn = (password: string) =>
      consoleClient(gateway.url, { 'x-forwarded-for': '198.51.100.7' }).post('sign-in', { email, password })
    const guesses = Array.from({ length: 14 }, () => signIn('wrong password').then(outcomeOf, () => 'no answer'))
    expect(await Promise.race(guesses)).toBe('401 wrong_credentials')
    await gateway.kill()
    const outcomes = await Promise.all(guesses)
    expect(outcomes.filter((outcome) => outcome === 'no answer').length).toBeGreaterThan(4)
    gateway = await startGateway({ home: gateway.home })
    expect(outcomeOf(await signIn(PASSWORD))).toBe('200')
    await gateway.stop()
  })

  test.each([5, 60, 200, 600])('killed after %d ms', async (afterMs) => {
    let gateway = await startGateway({ engine, config: CONFIG, realPasswords: true })
    const client = (index: number) => consoleClient(gateway.url, { 'x-forwarded-for': `198.51.100.${index}` })
    const email = (index: number) => `p${index}@example.com`
    const registering = Array.from({ length: PEOPLE }, (_, index) =>
      client(index)
        .post('register', { email: email(index), password: PASSWORD })
        .then(outcomeOf, () => 'no answer'),
    )
    await Bun.sleep(afterMs)
    await gateway.kill()
    const outcomes = await Promise.all(registering)
    const { home } = gateway
    gateway = await startGateway({ home })
    for (const [index, outcome] of outcomes.entries()) {
      const visitor = client(index)
      const credentials = { email: email(index), password: PASSWORD }
      const first = outcomeOf(await visitor.post('sign-in', credentials))
      // An account that was confirmed exists.
      if (outcome === '201') expect(first).toBe('200')
      if (first !== '200') {
        expect(first).toBe('401 wrong_credentials')
        expect(outcomeOf(await visitor.post('register', credentials))).toBe('201')
      }
      const { body } = await visitor.get<{ balance_usd: string }>('session')
      expect(body.balance_usd).toBe('2.00')
    }
    expect(await gateway.command<object>('audit')).toMatchObject({ ok: true })
    await gateway.stop()
  })
})
