import { expect, test } from 'bun:test'
import { createAccountCipher } from './account-cipher.ts'

const keys = createAccountCipher('a secret of a test')
const PLAIN = Buffer.from('{"answer":42}')
const CONTEXT = Buffer.from('a request')

test('a value encrypted for an account is decrypted for it, in another process too, and the ciphertext discloses nothing', () => {
  const sealed = keys.encrypt(1n, 'idempotent answers', PLAIN, CONTEXT)
  expect(Buffer.from(sealed).includes('answer')).toBe(false)
  expect(keys.encrypt(1n, 'idempotent answers', PLAIN, CONTEXT)).not.toEqual(sealed)
  const opened = createAccountCipher('a secret of a test').decrypt(1n, 'idempotent answers', sealed, CONTEXT)
  expect(Buffer.from(opened ?? []).toString()).toBe(PLAIN.toString())
})

test('no other account, secret or value decrypts it', () => {
  const sealed = keys.encrypt(1n, 'idempotent answers', PLAIN, CONTEXT)
  const damaged = Buffer.from(sealed)
  damaged[20] = (damaged[20] ?? 0) ^ 1
  expect(keys.decrypt(2n, 'idempotent answers', sealed, CONTEXT)).toBeUndefined()
  expect(keys.decrypt(1n, 'end users', sealed, CONTEXT)).toBeUndefined()
  expect(keys.decrypt(1n, 'idempotent answers', sealed, Buffer.from('another'))).toBeUndefined()
  expect(keys.decrypt(1n, 'idempotent answers', damaged, CONTEXT)).toBeUndefined()
  expect(keys.decrypt(1n, 'idempotent answers', sealed.subarray(0, 20), CONTEXT)).toBeUndefined()
  const other = createAccountCipher('another secret')
  expect(other.decrypt(1n, 'idempotent answers', sealed, CONTEXT)).toBeUndefined()
})

test('a pseudonym is stable for an account and a value, and discloses nothing else', () => {
  const one = keys.pseudonym(1n, 'end users', 'ada')
  expect(one).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(createAccountCipher('a secret of a test').pseudonym(1n, 'end users', 'ada')).toBe(one)
  const others = [
    keys.pseudonym(2n, 'end users', 'ada'),
    keys.pseudonym(1n, 'end users', 'bob'),
    createAccountCipher('another secret').pseudonym(1n, 'end users', 'ada'),
  ]
  expect(new Set([one, ...others]).size).toBe(4)
})

test('while two secrets are accepted, what was made with either is read, and new values are made with the one in force', () => {
  const [older, newer] = [createAccountCipher('the old one'), createAccountCipher('the new one')]
  const secrets = { current: 'the old one', accepted: ['the new one', 'the old one'] }
  const both = createAccountCipher(secrets)
  const open = (cipher: typeof both, sealed: Uint8Array) =>
    cipher.decrypt(1n, 'reasoning', sealed, CONTEXT) !== undefined
  const seal = (cipher: typeof both) => cipher.encrypt(1n, 'reasoning', PLAIN, CONTEXT)
  const name = (cipher: typeof both) => cipher.pseudonym(1n, 'reasoning', 'x')
  expect([open(both, seal(older)), open(both, seal(newer)), open(older, seal(both))]).toEqual([true, true, true])
  expect(both.pseudonyms(1n, 'reasoning', 'x')).toEqual([name(older), name(newer)])
  secrets.current = 'the new one'
  expect([open(newer, seal(both)), open(older, seal(both))]).toEqual([true, false])
  expect(both.pseudonyms(1n, 'reasoning', 'x')).toEqual([name(newer), name(older)])
})
