import { expect, test } from 'bun:test'
import { safeText } from './safe-text.ts'

test.each([
  ['/v1/chat/completions', '/v1/chat/completions'],
  ['gpt-4.1-mini', 'gpt-4.1-mini'],
  ['claude@20240229', 'claude@20240229'],
  ['two\nlines', 'two\\u{a}lines'],
  ['\u001b[31mred\u009b0m', '\\u{1b}[31mred\\u{9b}0m'],
  ['line\u2028separator', 'line\\u{2028}separator'],
  ['/v1/usage/sk-abcdefghijklmnop', '/v1/usage/sk-***'],
  ['/accounts/ada@example.com/keys', '/accounts/***@***/keys'],
  ['/accounts/ada%40example.com', '/accounts/***@***'],
])('%j becomes %j', (text, safe) => {
  expect(safeText(text)).toBe(safe)
})

test.each([
  ['plain', 'a'.repeat(30_000)],
  ['escapes grow', '\u0007'.repeat(150)],
  ['a key behind the cut', `${'a'.repeat(195)}sk-abcdefghijklmnopqrstuvwxyz`],
  ['a key across the masking', `${'é'.repeat(790)}sk-abcdefghijklmnopqrstuvwxyz`],
])('%s: at most 200 characters, visible, and nothing of a key', (_, text) => {
  const safe = safeText(text)
  expect(safe).toMatch(/^[\x20-\x7e]{190,200}$/)
  expect(safe).not.toContain('sk-abc')
  expect(safe).toEndWith('...')
})
