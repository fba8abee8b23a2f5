import { expect, test } from 'bun:test'
import { localeOf } from '../../packages/console/src/i18n/locale.ts'

test.each([
  ['en', ['de-DE', 'en-GB', 'en'], 'en-GB'],
  ['en', ['de-DE'], 'en'],
  ['zh', ['en-GB', 'zh-TW'], 'zh-TW'],
  ['zh', [], 'zh-CN'],
  // Chromium on a system without a language.
  ['en', ['en-US@posix', 'en-US@posix', 'en'], 'en'],
  ['en', ['en-US@posix'], 'en'],
] as const)('formats of %s with %j are those of %s', (language, languages, expected) => {
  expect(localeOf(language, languages)).toBe(expected)
})
