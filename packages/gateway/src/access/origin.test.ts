import { expect, test } from 'bun:test'
import { compileCidrs } from '@trivium/http/addresses/client-address.ts'
import { TEST_CALLER } from '../../test-support/dependencies.ts'
import { Failure } from '../request/failure.ts'
import { checkOrigin } from './origin.ts'

const NO_PROXIES = compileCidrs([]).cidrs
const PROXY = compileCidrs(['10.0.0.1']).cidrs

function codeFor(networks: string[] | undefined, socket: string, forwarded?: string, trusted = NO_PROXIES): string {
  const caller = { ...TEST_CALLER, restrictions: { models: undefined, networks } }
  const headers = new Headers(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded })
  try {
    checkOrigin(caller, headers, { address: () => socket }, trusted)
    return 'ok'
  } catch (error) {
    return error instanceof Failure ? error.info.code : String(error)
  }
}

const ROWS: [string, Parameters<typeof codeFor>, string][] = [
  ['no list: from everywhere', [undefined, '203.0.113.7'], 'ok'],
  ['on the list', [['198.51.100.1', '203.0.113.0/24'], '203.0.113.7'], 'ok'],
  ['not on the list', [['203.0.113.0/24'], '203.0.114.7'], 'address_not_allowed'],
  ['IPv4 written as IPv6', [['203.0.113.0/24'], '::ffff:203.0.113.7'], 'ok'],
  ['IPv6', [['2001:db8::/32'], '2001:db8::7'], 'ok'],
  ['an empty list allows no address', [[], '203.0.113.7'], 'address_not_allowed'],
  ['an invalid list allows no address', [['everywhere'], '203.0.113.7'], 'address_not_allowed'],
  ['an unknown address is on no list', [['0.0.0.0/0', '::/0'], ''], 'address_not_allowed'],
  [
    'x-forwarded-for of an untrusted client is ignored',
    [['203.0.113.7'], '198.51.100.9', '203.0.113.7'],
    'address_not_allowed',
  ],
  ['x-forwarded-for of a trusted proxy is used', [['203.0.113.7'], '10.0.0.1', '203.0.113.7', PROXY], 'ok'],
  [
    'entries before the last untrusted one are ignored',
    [['203.0.113.7'], '10.0.0.1', '203.0.113.7, 198.51.100.9', PROXY],
    'address_not_allowed',
  ],
]

test.each(ROWS)('%s', (_, given, code) => {
  expect(codeFor(...given)).toBe(code)
})

test('the address is determined only for keys that have a list', () => {
  const address = () => {
    throw new Error('asked')
  }
  expect(() => checkOrigin(TEST_CALLER, new Headers(), { address }, NO_PROXIES)).not.toThrow()
})

test('the rejection names the key and the address', () => {
  const caller = { ...TEST_CALLER, key: 12n, restrictions: { models: undefined, networks: ['10.0.0.0/8'] } }
  expect(() => checkOrigin(caller, new Headers(), { address: () => '203.0.113.7' }, NO_PROXIES)).toThrow(
    'Key 12 may not be used from 203.0.113.7.',
  )
})
