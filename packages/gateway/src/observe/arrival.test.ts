import { expect, test } from 'bun:test'
import { fixedHeaders, ResponseHeaders } from '@trivium/http/response.ts'
import { CLIENT_REQUEST_ID, noteArrival } from './arrival.ts'
import { RequestRecord } from './request-record.ts'

const SETTINGS = { trustedProxies: [], config: { server: { logAddresses: 'full' as const } } }

test.each([
  ['shown', true, { client: '192.0.2.7', userAgent: 'SDK/1.0' }, 1],
  ['not shown', false, { client: undefined, userAgent: undefined }, 0],
])('who sent a request is looked up if it is %s; its own id always is', (_, showsClients, expected, lookups) => {
  const record = new RequestRecord('POST', '/v1/messages', 'req_1', 0)
  const headers = new ResponseHeaders(fixedHeaders({}), 'req_1')
  let asked = 0
  const http = {
    headers: new Headers({ 'user-agent': 'SDK/1.0', [CLIENT_REQUEST_ID]: 'mine' }),
    address() {
      asked++
      return '192.0.2.7'
    },
  }
  noteArrival(record, http as never, headers, SETTINGS, undefined, showsClients)
  expect(record).toMatchObject({ ...expected, clientRequestId: 'mine' })
  expect(headers.get(CLIENT_REQUEST_ID)).toBe('mine')
  expect(asked).toBe(lookups)
})
