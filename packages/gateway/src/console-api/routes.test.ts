import { expect, test } from 'bun:test'
import { CONSOLE_ROUTES } from './routes.ts'

const route = (wanted: string) => CONSOLE_ROUTES.find(({ name }) => name === wanted)

test('every route is listed with its method, path, policy and JSON schemas', () => {
  const rotate = route('POST keys/{id}/rotate')
  expect(rotate).toMatchObject({ method: 'POST', path: 'keys/{id}/rotate', policy: 'member' })
  expect(Object.keys(rotate?.parameters.properties ?? {})).toEqual(['id'])
  expect(rotate?.status).toBe(200)
  expect(JSON.parse(JSON.stringify(rotate?.body))).toEqual({
    type: 'object',
    required: ['grace_seconds'],
    properties: { grace_seconds: { type: 'integer', minimum: 0, maximum: 604_800 } },
    additionalProperties: false,
  })
  expect(JSON.parse(JSON.stringify(route('GET keys')?.query))).toMatchObject({
    properties: { state: { enum: ['active', 'expired', 'deleted'] } },
  })
  expect(JSON.parse(JSON.stringify(route('POST wallet/redeem')?.output))).toMatchObject({
    required: ['amount_usd', 'balance_usd'],
    properties: { amount_usd: { type: 'string', description: 'Decimal USD.' } },
  })
})

test('a route says what it does, and which status it has', () => {
  for (const { summary, status } of CONSOLE_ROUTES) {
    expect(summary).not.toBe('')
    expect(status).toBeOneOf([200, 201, 202, 204, 303])
  }
  expect([route('POST keys')?.status, route('POST sign-out')?.status]).toEqual([201, 204])
  expect([route('GET requests.csv')?.output, route('POST playground/{path...}')?.body]).toEqual(['bytes', 'bytes'])
})
