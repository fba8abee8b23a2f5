import { describe, expect, test } from 'bun:test'
import { createAccountSecrets } from '../access/account-secrets.ts'
import { createSignedAddresses } from './signed-address.ts'

const SECRET = 'a master secret of some length'
const NOW = 1_800_000_000_000
const OBJECT = { id: '0123456789abcdef0123456789abcdef', owner: 17n, expiresAt: NOW + 3_600_000 }

const open = (secret = SECRET, clock = () => NOW) =>
  createSignedAddresses({
    ...{ masterSecret: secret, accountSecrets: createAccountSecrets(secret), clock },
    baseUrl: () => 'https://gw.example.com',
  })

const parse = (address: string) => {
  const url = new URL(address)
  return { id: url.pathname.replace('/media/', ''), query: url.searchParams }
}

test('the address is absolute, names the object and the time, and not the owner', () => {
  const address = open().signedAddress(OBJECT, 60_000)
  expect(address).toMatch(
    /^https:\/\/gw\.example\.com\/media\/0123456789abcdef0123456789abcdef\?exp=1800000060&sig=[\w-]{65}$/,
  )
  expect(parse(address).query.get('sig')).not.toContain('17')
})

test('an address is not valid longer than its object', () => {
  expect(open().signedAddress(OBJECT, 86_400_000)).toContain('exp=1800003600&')
})

describe('verification', () => {
  const address = open().signedAddress(OBJECT, 60_000)
  const sig = parse(address).query.get('sig') ?? ''
  const flipped = (at: number) => `${sig.slice(0, at)}${sig[at] === 'A' ? 'B' : 'A'}${sig.slice(at + 1)}`
  const CASES: [string, string, string][] = [
    ['as it was signed', address, 'valid'],
    ['another object', address.replace('/0123', '/1123'), 'invalid'],
    ['a later time', address.replace('exp=1800000060', 'exp=1800000061'), 'invalid'],
    ['the same time written otherwise', address.replace('exp=1800000060', 'exp=01800000060'), 'invalid'],
    ['no time', address.replace('exp=1800000060&', ''), 'invalid'],
    ['no signature', address.replace(/&sig.*/, ''), 'invalid'],
    ['an empty signature', address.replace(sig, ''), 'invalid'],
    ['a signature cut off', address.slice(0, -1), 'invalid'],
    ['a longer signature', `${address}A`, 'invalid'],
    ['another owner', address.replace(sig, flipped(0)), 'invalid'],
    ['another mac', address.replace(sig, flipped(30)), 'invalid'],
    ['further parameters', `${address}&x=1`, 'valid'],
    ['a second signature', `${address}&sig=x`, 'valid'],
    ['of another gateway', open('another master secret').signedAddress(OBJECT, 60_000), 'invalid'],
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
    const { id, query } = parse(address)
    expect(open(SECRET, () => NOW + ms).verify(id, query)).toBe(expected as 'valid')
  })

  test('it holds for the owner alone', () => {
    const { query } = parse(address)
    expect([OBJECT.owner, 18n].map((owner) => open().isFor({ ...OBJECT, owner }, query))).toEqual([true, false])
  })
})
