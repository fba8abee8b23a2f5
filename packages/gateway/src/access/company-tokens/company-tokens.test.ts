// Tokens of a provider on loopback, with a clock that the test turns. What they lead to in the store is tested by running gateways.
import { describe, expect, test } from 'bun:test'
import { eventually } from '../../../../../test/support/eventually.ts'
import { TEST_CALLER } from '../../../test-support/dependencies.ts'
import { signingKey } from '../../../test-support/token-provider.ts'
import { signInOf } from '../../../test-support/token-settings.ts'
import { HOUR, START, useTokens } from '../../../test-support/use-tokens.ts'
import { FRESH_MS, KEPT_MS, PAUSE_MS } from './provider-keys.ts'
import { checkTimes, readToken } from './read-token.ts'

const bench = useTokens()

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('a token is verified once, and then costs its hash until it expires', async () => {
  const token = await bench.sign()
  const fetched = bench.company.fetches()
  expect(await Promise.all([bench.outcome(token), bench.outcome(token)])).toEqual(['ok', 'ok'])
  expect([bench.bearers.length, bench.company.fetches() - fetched]).toEqual([1, 1])
  // Known: nothing is awaited.
  expect(bench.tokens.find(token)).not.toBeInstanceOf(Promise)
  bench.now += HOUR * 1_000
  // The tolerated difference of the clocks.
  bench.now += 59_000
  expect(await bench.outcome(token)).toBe('ok')
  bench.now += 1_000
  expect(await bench.outcome(token)).toBe(
    'api_key_expired: The token has expired. Get a new one from your sign-in provider.',
  )
})

test('a change of keys or people looks the caller up again, and verifies nothing again', async () => {
  const token = await bench.sign()
  const caller = await bench.tokens.find(token)
  expect(await bench.tokens.find(token)).toBe(caller)
  expect(await bench.tokens.refresh(token, caller)).not.toBe(caller)
  bench.tokens.clear()
  const down = bench.company.fetches()
  bench.company.setDown(true)
  await bench.tokens.find(token)
  expect([bench.bearers.length, bench.company.fetches()]).toEqual([3, down])
})

test('callers that stopped working are rejected, though the token is valid', async () => {
  const token = await bench.sign()
  for (const [change, message] of [
    [{ makerDisabled: true }, 'account_disabled: The person of this token is disabled here.'],
    [{ accountDisabled: true }, 'account_disabled: This account is disabled.'],
    [{ deleted: true }, 'invalid_api_key: '],
    [{ expiresAt: START }, 'api_key_expired: '],
  ] as const) {
    bench.tokens.clear()
    bench.answer = async () => ({ ...TEST_CALLER, ...change })
    expect(await bench.outcome(token)).toStartWith(message)
    expect(await bench.outcome(token)).toStartWith(message)
  }
})

describe('the keys of a provider', () => {
  test('an unknown key is looked for once, by however many tokens, and then not for a while', async () => {
    const next = await signingKey('next')
    expect(await bench.outcome(await bench.sign())).toBe('ok')
    bench.company.state.keys = [bench.company.first.jwk, next.jwk]
    bench.now += PAUSE_MS
    const before = bench.company.fetches()
    const many = await Promise.all(
      Array.from({ length: 50 }, (_, each) => bench.sign({ sub: `s${each}` }, { key: next })),
    )
    expect(new Set(await Promise.all(many.map(bench.outcome)))).toEqual(new Set(['ok']))
    expect(bench.company.fetches() - before).toBe(1)
    const garbage = await signingKey('garbage')
    for (let each = 0; each < 20; each++)
      expect(await bench.outcome(await bench.sign({ sub: `s${each}` }, { key: garbage }))).toContain('does not publish')
    expect(bench.company.fetches() - before).toBe(1)
    bench.now += PAUSE_MS
    expect(await bench.outcome(await bench.sign({}, { key: garbage }))).toContain('does not publish')
    expect(bench.company.fetches() - before).toBe(2)
  })

  test('a key that is withdrawn stops what it signed, also what was verified, once the keys are renewed', async () => {
    const next = await signingKey('next')
    bench.company.state.keys = [bench.company.first.jwk, next.jwk]
    const [old, young] = [await bench.sign(), await bench.sign({}, { key: next })]
    expect([await bench.outcome(old), await bench.outcome(young)]).toEqual(['ok', 'ok'])
    bench.company.state.keys = [next.jwk]
    bench.now += FRESH_MS - 1
    expect(await bench.outcome(old)).toBe('ok')
    bench.now += 1
    const before = bench.company.fetches()
    // Whoever comes first begins to renew them, and does not wait.
    expect(await bench.outcome(old)).toBe('ok')
    await eventually(async () => (await bench.outcome(old)).includes('does not publish'))
    expect(bench.company.fetches() - before).toBe(1)
    expect(await bench.outcome(young)).toBe('ok')
    expect(bench.bearers.length).toBe(2)
  })

  test('while a provider is down its last keys are accepted for a day; then, and at a start, nothing is', async () => {
    const token = await bench.sign({ exp: bench.seconds() + 100 * HOUR })
    expect(await bench.outcome(token)).toBe('ok')
    bench.company.setDown(true)
    bench.now += KEPT_MS - 1
    expect(await bench.outcome(token)).toBe('ok')
    const another = await bench.sign({ sub: 'grace', exp: bench.seconds() + 100 * HOUR })
    expect(await bench.outcome(another)).toBe('ok')
    bench.now += 1
    const down = 'service_unavailable: The keys of the sign-in provider are not available. Retry in 10 seconds.'
    expect([await bench.outcome(token), await bench.outcome(another)]).toEqual([down, down])
    bench.open()
    expect(await bench.outcome(token)).toBe(down)
    expect(bench.logged.at(-1)).toBe('company tokens: the keys of a provider cannot be fetched')
    bench.company.setDown(false)
    expect(await bench.outcome(token)).toBe(down)
    bench.now += PAUSE_MS
    expect(await bench.outcome(token)).toBe('ok')
  })

  test.each<[string, () => void]>([
    [
      'another issuer in the discovery document',
      () => {
        bench.company.state.discovered = { issuer: bench.other.issuer }
      },
    ],
    [
      'keys at a place that is no URL',
      () => {
        bench.company.state.discovered = { jwks_uri: 'file:///etc/passwd' }
      },
    ],
    [
      'no keys for signatures',
      () => {
        bench.company.state.keys = [{ ...bench.company.first.jwk, use: 'enc' }]
      },
    ],
    [
      'symmetric keys',
      () => {
        bench.company.state.keys = [{ kty: 'oct', k: 'c2VjcmV0', kid: 'first', alg: 'HS256' }]
      },
    ],
    [
      'keys that are none',
      () => {
        bench.company.state.keys = [null, 'x', 7]
      },
    ],
  ])('%s: no token is accepted', async (_, break_) => {
    break_()
    expect(await bench.outcome(await bench.sign())).toStartWith('service_unavailable: ')
  })

  test('a key without a name serves tokens without one, if it is the only one of its family', async () => {
    const [bare, elliptic] = [await signingKey(undefined), await signingKey(undefined, 'ES256')]
    bench.company.state.keys = [bare.jwk, elliptic.jwk]
    expect(await bench.outcome(await bench.sign({}, { key: bare }))).toBe('ok')
    expect(await bench.outcome(await bench.sign({}, { key: elliptic }))).toBe('ok')
    bench.company.state.keys = [bare.jwk, elliptic.jwk, bench.company.first.jwk]
    bench.open()
    expect(await bench.outcome(await bench.sign({ sub: 'b' }, { key: bare }))).toContain('does not publish')
  })
})

test('a changed configuration verifies anew, and what it no longer accepts is rejected at once', async () => {
  const token = await bench.sign()
  expect(await bench.outcome(token)).toBe('ok')
  bench.signIn = signInOf([{ id: 'company', issuer: bench.company.issuer }], { audiences: ['https://new.example.com'] })
  expect(await bench.outcome(token)).toContain('another audience')
  bench.signIn = signInOf([{ id: 'other', issuer: bench.other.issuer }])
  expect(await bench.outcome(token)).toContain('The issuer of the token is none')
})

test('what is remembered of tokens is bounded', async () => {
  bench.open(2)
  const all = await Promise.all(['a', 'b', 'c'].map((sub) => bench.sign({ sub })))
  for (const token of all) await bench.tokens.find(token)
  expect(
    [bench.tokens.find(all[2] ?? ''), bench.tokens.find(all[0] ?? '')].map((found) => found instanceof Promise),
  ).toEqual([false, true])
})

test('times are the same wherever they are checked', () => {
  const token = `${encode({ alg: 'RS256' })}.${encode(bench.claimsOf({ nbf: bench.seconds() + 60 }))}.AA`
  const read = readToken(token, bench.signIn, bench.now)
  expect(() => checkTimes(read, bench.now - 1)).toThrow('not valid yet')
  expect(() => checkTimes(read, read.expiresAt - 1)).not.toThrow()
  expect(() => checkTimes(read, read.expiresAt)).toThrow('expired')
})
