// The codes of the RFCs themselves.
import { describe, expect, test } from 'bun:test'
import { codeAt, decodeBase32, encodeBase32, stepOf } from './totp.ts'

/** RFC 6238, appendix B: SHA-1. Its codes have eight digits, of which ours are the last six. */
const SECRET = Buffer.from('12345678901234567890')
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('RFC 6238 at %d s', (seconds, code) => {
  expect(codeAt(SECRET, Math.floor(seconds / 30))).toBe(code)
  expect(stepOf(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30))
})

describe('the window', () => {
  const now = 1_000_000 * 30_000
  test.each([
    ['two steps ago', -2, undefined],
    ['a step ago', -1, 999_999],
    ['now', 0, 1_000_000],
    ['a step ahead', 1, 1_000_001],
    ['two steps ahead', 2, undefined],
  ])('%s', (_, offset, step) => {
    expect(stepOf(SECRET, codeAt(SECRET, 1_000_000 + offset), now)).toBe(step)
  })

  test.each(['', '12345', '1234567', 'abcdef', '１２３４５６', '-12345'])('%p is no code', (code) => {
    expect(stepOf(SECRET, code, now)).toBeUndefined()
  })
})

/** RFC 4648, section 10, without padding. */
test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('base32 of %p', (text, encoded) => {
  expect(encodeBase32(Buffer.from(text))).toBe(encoded)
  expect(Buffer.from(decodeBase32(encoded) ?? []).toString()).toBe(text)
  expect(Buffer.from(decodeBase32(encoded.toLowerCase()) ?? []).toString()).toBe(text)
})

test.each(['M=', 'M1', 'M M', 'Mä'])('%p is not base32', (text) => {
  expect(decodeBase32(text)).toBeUndefined()
})
