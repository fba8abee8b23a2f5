// Tokens that must not be accepted, each with what is said of it.
import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { exportSPKI } from 'jose'
import { signingKey } from '../../../test-support/token-provider.ts'
import { signInOf } from '../../../test-support/token-settings.ts'
import { AUDIENCE, useTokens } from '../../../test-support/use-tokens.ts'
import { PAUSE_MS } from './provider-keys.ts'

const bench = useTokens()

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('what is rejected', () => {
  type Attack = [name: string, message: string, token: () => Promise<string> | string]
  const unsigned = (header: object, claims: object, signature = '') =>
    `${encode(header)}.${encode(claims)}.${signature}`
  const hmac = (secret: string) => {
    const bare = `${encode({ alg: 'HS256', kid: 'first', typ: 'JWT' })}.${encode(bench.claimsOf())}`
    return `${bare}.${createHmac('sha256', secret).update(bare).digest('base64url')}`
  }
  const NOT_ACCEPTED = 'The token is signed in a way that is not accepted.'
  const BAD_SIGNATURE = 'The signature of the token is wrong.'
  const UNKNOWN_KEY = 'The token is signed with a key that its issuer does not publish.'
  const NO_JWT = 'The token is no signed JWT.'

  test.each<Attack>([
    ['alg none', NOT_ACCEPTED, () => unsigned({ alg: 'none' }, bench.claimsOf())],
    ['alg None, with a signature', NOT_ACCEPTED, () => unsigned({ alg: 'None', kid: 'first' }, bench.claimsOf(), 'AA')],
    ['no alg', NOT_ACCEPTED, () => unsigned({ kid: 'first' }, bench.claimsOf(), 'AA')],
    [
      'HS256 with the public key in PEM',
      NOT_ACCEPTED,
      async () => hmac(await exportSPKI(bench.company.first.publicKey)),
    ],
    ['HS256 with the public key as it is published', NOT_ACCEPTED, () => hmac(JSON.stringify(bench.company.first.jwk))],
    ['an encrypted token', NO_JWT, () => `${encode({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.abcdefgh.b.c.d`],
    ['no signature', BAD_SIGNATURE, async () => `${(await bench.sign()).split('.').slice(0, 2).join('.')}.AA`],
    [
      'claims of another token',
      BAD_SIGNATURE,
      async () => {
        const [header, , signature] = (await bench.sign()).split('.')
        return `${header}.${encode(bench.claimsOf({ sub: 'boss' }))}.${signature}`
      },
    ],
    ['another key under a known name', BAD_SIGNATURE, async () => bench.sign({}, { key: await signingKey('first') })],
    [
      'a key of another family under a known name',
      UNKNOWN_KEY,
      async () => bench.sign({}, { key: await signingKey('first', 'ES256') }),
    ],
    ['a key that nobody published', UNKNOWN_KEY, async () => bench.sign({}, { key: await signingKey('mine') })],
    ['a name of a key that is a path', UNKNOWN_KEY, () => bench.sign({}, { header: { kid: '../../../dev/null' } })],
    [
      'a name of a key that is a statement',
      UNKNOWN_KEY,
      () => bench.sign({}, { header: { kid: "x' UNION SELECT 'k" } }),
    ],
    [
      'a name of a key that is no text',
      BAD_SIGNATURE,
      async () => {
        const key = await signingKey('first')
        return bench.sign({}, { key, header: { kid: { first: 1 } } })
      },
    ],
    [
      'a key that the token brings (jwk)',
      UNKNOWN_KEY,
      async () => {
        const key = await signingKey('mine')
        return bench.sign({}, { key, header: { jwk: key.jwk } })
      },
    ],
    [
      'a key that the token brings under a known name',
      BAD_SIGNATURE,
      async () => {
        const key = await signingKey('first')
        return bench.sign({}, { key, header: { jwk: key.jwk } })
      },
    ],
    [
      'keys at a URL of the attacker (jku, x5u)',
      BAD_SIGNATURE,
      async () => {
        const key = await signingKey('first')
        bench.other.state.keys = [key.jwk]
        return bench.sign({}, { key, header: { jku: `${bench.other.issuer}/keys`, x5u: `${bench.other.issuer}/keys` } })
      },
    ],
    [
      'an extension that must be understood',
      'The token is of a kind that is not accepted.',
      () => {
        const header = { alg: 'RS256', kid: 'first', crit: ['exp'], exp: 1 }
        return unsigned(header, bench.claimsOf(), 'AA')
      },
    ],
    [
      'a token for logouts',
      'The token is of a kind that is not accepted.',
      () => bench.sign({}, { header: { typ: 'logout+jwt' } }),
    ],
    [
      'a token that is bound to a key of its holder',
      'The token is of a kind that is not accepted.',
      () => bench.sign({ cnf: { jkt: 'x' } }),
    ],
    ['another issuer', 'The issuer of the token is none', () => bench.sign({ iss: 'https://evil.example.com' })],
    [
      'an issuer that begins like ours',
      'The issuer of the token is none',
      () => bench.sign({ iss: `${bench.company.issuer}.evil.example.com` }),
    ],
    ['no issuer', 'The issuer of the token is none', () => bench.sign({ iss: undefined })],
    ['a list of issuers', 'The issuer of the token is none', () => bench.sign({ iss: [bench.company.issuer] })],
    [
      'one provider speaking for the other',
      UNKNOWN_KEY,
      async () => bench.sign({ iss: bench.other.issuer }, { key: await signingKey('only company') }),
    ],
    [
      'another audience',
      'The token is for another audience',
      () => bench.sign({ aud: 'https://elsewhere.example.com' }),
    ],
    ['no audience', 'The token is for another audience', () => bench.sign({ aud: undefined })],
    [
      'an audience that begins like ours',
      'The token is for another audience',
      () => bench.sign({ aud: `${AUDIENCE}/x` }),
    ],
    ['another client', 'The token was issued to an application', () => bench.sign({ azp: 'games' })],
    [
      'another client by its id',
      'The token was issued to an application',
      () => bench.sign({ azp: undefined, client_id: 'games' }),
    ],
    ['no client', 'The token was issued to an application', () => bench.sign({ azp: undefined })],
    ['nobody', 'The token names no person', () => bench.sign({ sub: undefined })],
    ['a person who is no text', 'The token names no person', () => bench.sign({ sub: 7 })],
    ['a person with a long name', 'The token names no person', () => bench.sign({ sub: 'x'.repeat(256) })],
    ['no end', 'The token has no valid times', () => bench.sign({ exp: undefined })],
    [
      'an end that is no number',
      'The token has no valid times',
      () => unsigned({ alg: 'RS256', kid: 'first' }, { ...bench.claimsOf(), exp: '9999999999' }, 'AA'),
    ],
    [
      'an end without end',
      'The token has no valid times',
      () => unsigned({ alg: 'RS256', kid: 'first' }, { ...bench.claimsOf(), exp: 1e300 }, 'AA'),
    ],
    ['an end in the past', 'The token has expired.', () => bench.sign({ exp: bench.seconds() - 60 })],
    ['a beginning in the future', 'The token is not valid yet', () => bench.sign({ nbf: bench.seconds() + 61 })],
    ['issued in the future', 'The token is not valid yet', () => bench.sign({ iat: bench.seconds() + 61 })],
    ['a huge token', 'The token has more than 8192 characters.', () => bench.sign({ text: 'x'.repeat(7_000) })],
    [
      'claims that are no JSON',
      NO_JWT,
      () => `${encode({ alg: 'RS256' })}.${Buffer.from('{"sub"').toString('base64url')}.AA`,
    ],
    ['claims that are a list', NO_JWT, () => unsigned({ alg: 'RS256', kid: 'first' }, [bench.claimsOf()], 'AA')],
    ['two dots too many', NO_JWT, async () => `${await bench.sign()}.x.y`],
    ['nothing', NO_JWT, () => 'eyJ'],
  ])('%s', async (_, message, make) => {
    bench.signIn = signInOf(
      [
        { id: 'company', issuer: bench.company.issuer },
        { id: 'other', issuer: bench.other.issuer },
      ],
      /application/.test(message) ? { clients: ['command-line'] } : {},
    )
    const asked = bench.other.fetches()
    const token = await make()
    const said = await bench.outcome(token)
    expect(said).toMatch(/^(invalid_api_key|api_key_expired): /)
    expect(said).toContain(message)
    // Again, by what is remembered of it.
    expect(await bench.outcome(token)).toBe(said)
    expect(bench.bearers).toEqual([])
    if (!said.includes('does not publish')) expect(bench.other.fetches()).toBe(asked)
    expect(said).not.toContain(token.split('.')[1] || 'nothing')
  })

  test('valid tokens of every algorithm, and of both issuers, are accepted all the same', async () => {
    for (const alg of ['RS256', 'RS512', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']) {
      const key = await signingKey(`key ${alg}`, alg)
      bench.company.state.keys = [bench.company.first.jwk, key.jwk]
      bench.now += PAUSE_MS
      expect([alg, await bench.outcome(await bench.sign({ aud: ['x', AUDIENCE], azp: 'any' }, { key }))]).toEqual([
        alg,
        'ok',
      ])
    }
    bench.other.state.keys = [bench.other.first.jwk]
    expect(await bench.outcome(await bench.other.sign(bench.claimsOf({ iss: `${bench.other.issuer}/` })))).toBe('ok')
    expect(bench.bearers.at(-1)?.provider.id).toBe('other')
    expect(await bench.outcome(await bench.sign({}, { header: { typ: 'at+JWT' } }))).toBe('ok')
  })

  test('without the setting there are no tokens', async () => {
    bench.signIn = { ...bench.signIn, apiTokens: [] }
    expect(await bench.outcome(await bench.sign())).toContain('This gateway accepts no tokens of sign-in providers.')
  })
})
