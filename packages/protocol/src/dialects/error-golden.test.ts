// Every error code as every dialect renders it, whole and at the end of a stream, written out in fixtures/golden-errors.json.
// TRIVIUM_GOLDEN=write rewrites the file; review the difference: clients rely on each of these values.
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERRORS, type ErrorCode, type ErrorInfo } from '../canonical/error.ts'
import { encodeArrayStreamError } from './generate-content/error.ts'
import { DIALECTS, type DialectId } from './index.ts'

const FILE = join(import.meta.dir, '../../fixtures/golden-errors.json')
const DIALECT_IDS = Object.keys(DIALECTS) as DialectId[]
const CODES = Object.keys(ERRORS) as ErrorCode[]

/** The `code` that clients of chat get names an error here; the one without is a plain bad request. */
function nameOf(code: ErrorCode): string {
  const { error } = DIALECTS.chat.encodeError({ code, message: '' }, '').body as { error: { code: string | null } }
  return error.code ?? 'bad_request'
}

const reset = { afterMs: 61_500, at: 1_700_000_000_000 }

/** Each code, and what besides the code decides how it is rendered. */
const RENDERED: readonly [name: string, info: ErrorInfo][] = [
  ...CODES.map((code): [string, ErrorInfo] => [nameOf(code), { code, message: 'It failed.' }]),
  ['with a field', { code: 'bad_request', message: 'It failed.', param: 'messages[2].content' }],
  ['with a code of the vendor', { code: 'bad_request', message: 'It failed.', vendorCode: 'vendor_code' }],
  ['to be retried', { code: 'service_unavailable', message: 'It failed.', retryAfter: 7 }],
  ['overloaded', { code: 'service_unavailable', message: 'It failed.', overloaded: true }],
  [
    'tokens',
    { code: 'rate_limit_exceeded', message: 'It failed.', limit: { of: 'tokens', limit: 100, remaining: 3, reset } },
  ],
  [
    'never',
    {
      code: 'rate_limit_exceeded',
      message: 'It failed.',
      limit: { of: 'requests', limit: 1, remaining: 0, reset: 'never' },
    },
  ],
]

/** One line of the file for each dialect, so that a difference is one line, too. */
function render(info: ErrorInfo): Record<string, string> {
  const lines = DIALECT_IDS.map((id) => {
    const { encodeError, encodeStreamError } = DIALECTS[id]
    return [id, JSON.stringify({ ...encodeError(info, 'req_42'), stream: encodeStreamError(info, 'req_42') })]
  })
  return { ...Object.fromEntries(lines), 'JSON array': encodeArrayStreamError(info, true) }
}

test('every code has a name of its own', () => {
  expect(new Set(CODES.map(nameOf)).size).toBe(CODES.length)
})

test('every code is rendered as written out', () => {
  const now = Object.fromEntries(RENDERED.map(([name, info]) => [name, render(info)]))
  if (process.env.TRIVIUM_GOLDEN === 'write') writeFileSync(FILE, `${JSON.stringify(now, undefined, 2)}\n`)
  expect(now).toEqual(JSON.parse(readFileSync(FILE, 'utf8')))
})
