// The address of a person, and whether it is verified, are one statement of one document.
import { expect, test } from 'bun:test'
import { mergeClaims } from './providers.ts'

const mine = { email: 'ada@example.com' }
const other = { email: 'owner@example.com' }
const yes = { email_verified: true }
const no = { email_verified: false }

test.each<[string, object, object, object]>([
  ['the ID token has both', { ...mine, ...yes }, { ...other, ...yes }, { ...mine, ...yes }],
  ['the ID token has both, unverified', { ...mine, ...no }, { ...other, ...yes }, { ...mine, ...no }],
  ['the user info has both', {}, { ...mine, ...yes }, { ...mine, ...yes }],
  ['only the user info has both', other, { ...mine, ...yes }, { ...mine, ...yes }],
  ['the address from here, its verification from there', yes, mine, { ...mine, ...no }],
  ['the address of another, verified by the token', yes, { ...other, ...no }, { ...other, ...no }],
  ['the address of the token, verified by nobody', mine, yes, { ...mine, ...no }],
  ['a null is nothing', { ...mine, email_verified: null }, { ...other, ...yes }, { ...other, ...yes }],
])('%s', (_, token, info, expected) => {
  const merged = mergeClaims({ sub: 'ada', ...token }, { sub: 'ada', groups: ['ops'], ...info })
  expect(merged).toMatchObject({ sub: 'ada', groups: ['ops'], ...expected })
})
