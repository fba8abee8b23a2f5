import { describe, expect, test } from 'bun:test'
import { createAccountCipher } from '../access/secrets/account-cipher.ts'
import { createSignedUrls } from './signed-urls.ts'

const SECRET = 'a master secret of some length'
const NOW = 1_800_000_000_000
const OBJECT = { id: '0123456789abcdef0123456789abcdef', account: 17n, expiresAt: NOW + 3_600_000 }

const open = (secret = SECRET, clock = () => NOW) =>
  createSignedUrls({
    masterSecret: secret,
    accountCipher: createAccountCipher(secret),
    clock,
    baseUrl: () => 'https://gw.example.com',
  })

const parse = (signed: string) => {
  const url = new URL(signed)
  return { id: url.pathname.replace('/media/', ''), query: url.searchParams }
}

test('the URL is absolute, names the object and the time, and not the account', () => {
  const url = open().sign(OBJECT, 60_000)
  expect(url).toMatch(
    /^https:\/\/gw\.example\.com\/media\/0123456789abcdef0123456789abcdef\?exp=1800000060&sig=[\w-]{65}$/,
  )
  expect(parse(url).query.get('sig')).not.toContain('17')
})

test('a URL is not valid longer than its object', () => {
  expect(open().sign(OBJECT, 86_400_000)).toContain('exp=1800003600&')
})

describe('verification', () => {
  const url = open().sign(OBJECT, 60_000)
  const sig = parse(url).query.get('sig') ?? ''
  const flipped = (at: number) => `${sig.slice(0, at)}${sig[at] === 'A' ? 'B' : 'A'}${sig.slice(at + 1)}`
  const CASES: [string, string, string][] = [
    ['as it was signed', url, 'valid'],
    ['another object', url.replace('/0123', '/1123'), 'invalid'],
    ['a later time', url.replace('exp=1800000060', 'exp=1800000061'), 'invalid'],
    ['the same time written otherwise', url.replace('exp=1800000060', 'exp=01800000060'), 'invalid'],
    ['no time', url.replace('exp=1800000060&', ''), 'invalid'],
    ['no signature', url.replace(/&sig.*/, ''), 'invalid'],
    ['an empty signature', url.replace(sig, ''), 'invalid'],
    ['a signature cut off', url.slice(0, -1), 'invalid'],
    ['a longer signature', `${url}A`, 'invalid'],
    ['another account', url.replace(sig, flipped(0)), 'invalid'],
    ['another mac', url.replace(sig, flipped(30)), 'invalid'],
    ['further parameters', `${url}&x=1`, 'valid'],
    ['a second signature', `${url}&sig=x`, 'valid'],
    ['of another gateway', open('another master secret').sign(OBJECT, 60_000), 'invalid'],
  ]
  test.each(CASES)('%s', (_, url, expected) => {
    const { id, query } = parse(url)
    expect(open().verify(id, query)).toBe(expected as 'valid')
  })

  test.each([
    [59_999, 'valid'],
    [60_000, 'expired'],
    [1e12, 'expired'],
  ])('after %d ms it is %s', (ms, expected) => {
    const { id, query } = parse(url)
    expect(open(SECRET, () => NOW + ms).verify(id, query)).toBe(expected as 'valid')
  })

  test('it holds for the account alone', () => {
    const { query } = parse(url)
    expect([OBJECT.account, 18n].map((account) => open().isFor({ ...OBJECT, account }, query))).toEqual([true, false])
  })
})
