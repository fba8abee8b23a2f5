import { expect, test } from 'bun:test'
import { PreparedResponse, REQUEST_ID_PLACEHOLDER } from './prepared-response.ts'
import { fixedHeaders } from './response.ts'

const prepared = new PreparedResponse({
  status: 503,
  fixed: fixedHeaders({ 'retry-after': '1' }),
  body: `{"error":"busy","request_id":"${REQUEST_ID_PLACEHOLDER}"}`,
})

test('has its id wherever there is one, its time and its length', () => {
  const written = [
    'HTTP/1.1 503 Service Unavailable',
    'date: today',
    'retry-after: 1',
    'x-request-id: req_0123456789abcdef',
    'request-id: req_0123456789abcdef',
    'content-length: 52',
    '',
    '',
  ].join('\r\n')
  const body = '{"error":"busy","request_id":"req_0123456789abcdef"}'
  expect(prepared.text('date: today\r\n', 'req_0123456789abcdef', true)).toBe(written + body)
})

test('can say that the connection closes', () => {
  expect(prepared.text('date: today\r\n', 'req_0123456789abcdef', false)).toContain('\r\nconnection: close\r\n')
})

test('is the same response if the caller writes it', () => {
  const { status, headers, body } = prepared.response('req_0123456789abcdef')
  const text = `HTTP/1.1 ${status} Service Unavailable\r\n${headers.lines()}content-length: ${(body as Uint8Array).length}\r\n\r\n${body}`
  expect(prepared.text('', 'req_0123456789abcdef', true)).toBe(text)
})
