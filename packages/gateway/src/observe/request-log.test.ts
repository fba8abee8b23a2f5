import { expect, test } from 'bun:test'
import type { LogFormat } from './log.ts'
import { createRequestLog } from './request-log.ts'
import { RequestRecord } from './request-record.ts'
import { attemptAnswered, beginAttempt } from './upstream-attempt.ts'

function requestLog(format: LogFormat) {
  const lines: string[] = []
  let second = () => {}
  const log = createRequestLog({
    format,
    clock: () => Date.UTC(2026, 0, 2, 3, 4, 5),
    write: (line) => void lines.push(line),
    everySecond(run) {
      second = run
      return () => {}
    },
  })
  return { log, lines, second: () => second() }
}

function completed(): RequestRecord {
  const record = new RequestRecord('POST', '/v1/messages', 'req_1', 1_000)
  const upstream = { id: 'main', kind: 'custom', baseUrl: 'https://up' }
  const attempt = beginAttempt(record, { upstream, model: 'm', dialect: 'chat' })
  const headers: Record<string, string> = { 'request-id': 'req_vendor', 'apim-request-id': 'other' }
  attemptAnswered(attempt, { status: 200, header: (name) => headers[name] ?? null })
  return Object.assign(record, {
    client: '192.0.2.0/24',
    userAgent: 'SDK/1.0 (Linux)\n',
    clientRequestId: 'mine-7',
    account: 12n,
    key: 34n,
    model: 'gpt-x',
    upstream: 'main',
    outcome: 'completed',
    charged: 600_000n,
    totalMs: 340.26,
    status: 200,
    tokens: { input: 120, cached: 100, output: 20, reasoning: 5 },
    firstTokenMs: 12,
    queuedMs: 3.1,
  })
}

test('a line has everything that is known of the request', () => {
  const { log, lines } = requestLog('json')
  log.ended(completed())
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      time: '2026-01-02T03:04:05.000Z',
      level: 'info',
      message: 'request',
      method: 'POST',
      path: '/v1/messages',
      status: 200,
      request_id: 'req_1',
      client_request_id: 'mine-7',
      client: '192.0.2.0/24',
      user_agent: 'SDK/1.0 (Linux)\\u{a}',
      account_id: '12',
      key_id: '34',
      model: 'gpt-x',
      upstream: 'main',
      upstream_request_id: 'req_vendor',
      outcome: 'completed',
      input_tokens: 120,
      cached_tokens: 100,
      output_tokens: 20,
      reasoning_tokens: 5,
      cost_usd: '0.0006',
      total_ms: 340.3,
      first_token_ms: 12,
      queue_ms: 3.1,
    },
  ])
})

test('on a terminal it is text', () => {
  const { log, lines } = requestLog('text')
  log.ended(completed())
  expect(lines).toEqual([
    expect.stringMatching(
      /^\d\d:04:05 POST \/v1\/messages 200 completed {2}gpt-x via main {2}120 in \(100 cached\), 20 out \(5 reasoning\) {2}0\.0006 USD {2}340\.3 ms, first token 12 ms, queue 3\.1 ms {2}account 12 key 34 {2}from 192\.0\.2\.0\/24 {2}req_1 \(mine-7\)\n$/,
    ),
  ])
})

test('what a caller chose can neither begin a line nor pass for a field', () => {
  const evil = '/x","status":500}\n{"time":"\u001b[2J'
  for (const format of ['json', 'text'] as const) {
    const { log, lines } = requestLog(format)
    const record = new RequestRecord('GET', evil, 'req_1', 1_000)
    record.model = 'a  404 rejected'
    record.userAgent = evil
    record.clientRequestId = 'a" 500'
    record.error = 'not_found'
    record.status = 404
    log.ended(record)
    const [line = ''] = lines
    expect(line.indexOf('\n')).toBe(line.length - 1)
    expect(line).not.toContain('\u001b')
    if (format === 'json') expect(JSON.parse(line)).toMatchObject({ status: 404, model: 'a  404 rejected' })
    else expect(line).toContain('"a  404 rejected"')
  }
})

test('401s, shed and malformed requests are summed, one line a second', () => {
  const { log, lines, second } = requestLog('json')
  second()
  for (let count = 0; count < 500; count++)
    log.ended(Object.assign(new RequestRecord('POST', `/p${count}`, `req_${count}`, 0), { status: 401 }))
  log.shed(1_000)
  log.malformed()
  expect(lines).toEqual([])
  second()
  second()
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      time: '2026-01-02T03:04:05.000Z',
      level: 'warn',
      message: 'requests rejected',
      unauthorized: 500,
      overloaded: 1_000,
      malformed: 1,
      request_id: 'req_0',
      path: '/p0',
    },
  ])
  log.shed(1)
  log.stop()
  expect(lines).toHaveLength(2)
})
