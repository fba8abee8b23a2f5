// The Chinese texts of the console have an entry for everything that the gateway may say by a code or a name.
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inLanguage } from '../../packages/console/src/i18n/say.ts'
import * as texts from '../../packages/console/src/i18n/texts/index.ts'
import * as operateTexts from '../../packages/console/src/operate/i18n/index.ts'
import { RULES } from '../../packages/gateway/src/alerts/rules.ts'
import type { AlertsConfig } from '../../packages/gateway/src/config/sections/alerts.ts'
import { API_ERRORS } from '../../packages/gateway/src/http-api/errors.ts'
import { REJECTIONS } from '../../packages/gateway/src/operate/rejections.ts'
import type { Outcome } from '../../packages/gateway/src/paid-call/outcome.ts'
import { ERRORS, type ErrorCode } from '../../packages/protocol/src/canonical/error.ts'
import { errorObject } from '../../packages/protocol/src/dialects/shared/errors/chat-compatible-error.ts'
import { errorCodeOf } from '../../packages/protocol/src/dialects/video-tasks/error.ts'

const [en, zh] = [inLanguage(texts, 'en'), inLanguage(texts, 'zh')]
const [operateEn, operateZh] = [inLanguage(operateTexts, 'en'), inLanguage(operateTexts, 'zh')]
const CONSOLE_API = join(import.meta.dir, '../../packages/gateway/src/console-api')
/** These say what is missing, and where to get it. */
const LACKS = ['insufficient_balance', 'key_quota_exceeded', 'QuotaExceeded', 'AccountOverdueError']

/** The paths of all texts: `keys.form.name`. */
function pathsIn(texts: object, path = ''): string[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    typeof text === 'object' && text !== null ? pathsIn(text, `${path}${name}.`) : `${path}${name}`,
  )
}
const without = (names: readonly string[], known: object): string[] => names.filter((name) => !(name in known))

test.each([
  ['account holders', en, zh],
  ['operators', operateEn, operateZh],
] as const)('every text of %s has a translation', (_, english, chinese) => {
  const translated = new Set(pathsIn(chinese))
  expect(pathsIn(english).filter((path) => !translated.has(path))).toEqual([])
})

test('every error of the console and of models has a text', () => {
  expect(without(Object.keys(API_ERRORS), zh.errors)).toEqual([])
  const codes = Object.keys(ERRORS) as ErrorCode[]
  const openAi = codes.map((code) => errorObject({ code, message: '' })).map(({ code, type }) => code ?? type)
  const ark = codes.map(errorCodeOf)
  const known = { ...zh.errors, ...zh.playground.errors }
  expect(without([...openAi, ...ark], known).filter((code) => !LACKS.includes(code))).toEqual([])
})

test('every cause of a conflict has a text of its own', () => {
  const files = readdirSync(CONSOLE_API, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  const sources = files.map((path) => readFileSync(join(CONSOLE_API, path), 'utf8')).join('\n')
  const written = [...sources.matchAll(/code: 'conflict',\s*message:\s*'([^']+)'/g)].map(([, message = '']) => message)
  const rules = Object.values(REJECTIONS).filter(({ code, message }) => code === 'conflict' && message.length === 0)
  const messages = [...written, ...rules.map(({ message }) => message({} as never))]
  expect(written.length).toBeGreaterThan(3)
  expect(without(messages, zh.conflicts)).toEqual([])
})

test('every outcome of a request has a text', () => {
  const outcomes: Readonly<Record<Outcome, true>> = {
    completed: true,
    incomplete: true,
    content_filtered: true,
    stopped_by_balance: true,
    failed: true,
    cut: true,
    timeout: true,
    client_disconnected: true,
    shutdown: true,
    cancelled: true,
    expired: true,
  }
  expect(without([...Object.keys(outcomes), 'running', 'reaped', 'rejected'], zh.usage.outcomes)).toEqual([])
})

test('every alert has a title, and what it says is wrong is translated', () => {
  const now = Date.parse('2027-01-31')
  const thresholds = new Proxy({} as AlertsConfig['thresholds'], { get: () => 1 })
  const config = { thresholds, off: [] } as unknown as AlertsConfig
  for (const [name, rule] of Object.entries(RULES)) {
    expect(operateZh.alerts.rules[name]?.title).toBeTruthy()
    const said = [
      rule.judge({ amount: 50, total: 90 }, config, now),
      rule.judge({ amount: now - 9e9, total: now }, config, now),
      rule.judge({ amount: now, total: now }, config, now - 1),
    ]
    const values = said.filter((value) => value !== undefined)
    expect(values.length).toBeGreaterThan(0)
    for (const value of values) expect(operateZh.alerts.value(value)).toMatch(/^(?!.*[a-z]).*[\u4e00-\u9fff]/)
    for (const value of values) expect(operateEn.alerts.value(value)).toBe(value)
  }
})
