import { describe, expect, test } from 'bun:test'
import { clientAddress, compileCidrs, isLoopback, matchesCidrs, networkOf, wideNetworkOf } from './client-address.ts'

const PROXIES = compileCidrs(['10.0.0.0/8', '192.0.2.1', '2001:db8:1::/48', '::1']).cidrs

describe('clientAddress', () => {
  test.each<[string, string, string | undefined, string]>([
    ['an untrusted peer', '203.0.113.9', undefined, '203.0.113.9'],
    ['an untrusted peer that claims another address', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['an untrusted peer that claims to be local', '203.0.113.9', '127.0.0.1', '203.0.113.9'],
    ['a proxy without a header', '10.0.0.1', undefined, '10.0.0.1'],
    ['a proxy with an empty header', '10.0.0.1', '', '10.0.0.1'],
    ['one proxy', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['one proxy, behind an entry that the client forged', '10.0.0.1', '127.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['two proxies', '10.0.0.1', '203.0.113.9, 192.0.2.1', '203.0.113.9'],
    [
      'two proxies, behind an entry that the client forged',
      '10.0.0.1',
      '1.1.1.1, 203.0.113.9, 192.0.2.1',
      '203.0.113.9',
    ],
    ['a forged trusted hop before the client', '10.0.0.1', '10.9.9.9,203.0.113.9', '203.0.113.9'],
    ['only proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['not an address', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['an address before an invalid entry', '10.0.0.1', '203.0.113.9, _hidden, 10.0.0.2', '10.0.0.2'],
    ['an empty entry', '10.0.0.1', '203.0.113.9,,', '10.0.0.1'],
    ['no spaces, many spaces', '10.0.0.1', '1.1.1.1,   203.0.113.9  ,192.0.2.1', '203.0.113.9'],
    ['a port', '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['IPv6', '2001:db8:1::5', '2001:DB8:2:0::9', '2001:db8:2::9'],
    ['IPv6 with brackets and port', '::1', '[2001:db8:2::9]:4711', '2001:db8:2::9'],
    ['IPv6 with brackets', '::1', '[2001:db8:2::9]', '2001:db8:2::9'],
    ['a mapped socket address', '::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['a mapped proxy', '::ffff:10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['a link-local peer', 'fe80::1%eth0', '127.0.0.1', 'fe80::1'],
    ['a local socket', '', '127.0.0.1', ''],
  ])('%s', (_, socket, forwarded, expected) => {
    const headers = new Headers(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded })
    expect(clientAddress(socket, headers, PROXIES)).toBe(expected)
  })

  test('several header lines read as one list', () => {
    const headers = new Headers()
    headers.append('x-forwarded-for', '1.1.1.1')
    headers.append('x-forwarded-for', '203.0.113.9')
    expect(clientAddress('10.0.0.1', headers, PROXIES)).toBe('203.0.113.9')
  })

  test('without trusted proxies the header is ignored, even from the loopback address', () => {
    const headers = new Headers({ 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' })
    expect(clientAddress('127.0.0.1', headers, [])).toBe('127.0.0.1')
  })
})

test('compileCidrs keeps the valid entries and reports each invalid one', () => {
  const { cidrs, mistakes } = compileCidrs(['10.0.0.0/8', 'proxy.example', ' 192.0.2.1 ', '10.1.0.0/8'])
  expect(cidrs).toHaveLength(2)
  expect(mistakes).toEqual([expect.stringContaining('proxy.example'), expect.stringContaining('10.1.0.0/8')])
})

test('matchesCidrs takes every spelling of an address, and nothing else', () => {
  const { cidrs } = compileCidrs(['10.0.0.0/8', '2001:db8::/32'])
  for (const address of ['10.1.1.1', '::ffff:10.1.1.1', '::ffff:a01:101', '2001:DB8:0::1'])
    expect(matchesCidrs(address, cidrs)).toBe(true)
  for (const address of ['11.1.1.1', '2001:db9::1', '', 'localhost', '10.1'])
    expect(matchesCidrs(address, cidrs)).toBe(false)
  expect(matchesCidrs('10.1.1.1', [])).toBe(false)
})

test('isLoopback', () => {
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'])
    expect(isLoopback(address)).toBe(true)
  for (const address of ['128.0.0.1', '10.0.0.1', '0.0.0.0', '::', '::2', '::127.0.0.1', 'localhost', '', '127.1'])
    expect(isLoopback(address)).toBe(false)
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff::', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::', '2001:db8:1:3::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::1', '::/64'],
  ['nowhere', 'nowhere'],
])('%s belongs to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test.each([
  ['192.0.2.77', '192.0.2.0/24'],
  ['::ffff:192.0.2.77', '192.0.2.0/24'],
  ['2001:db8:1:2:3::9', '2001:db8:1::/48'],
  ['2001:db8:1:ffff::1', '2001:db8:1::/48'],
  ['not an address', 'not an address/wide'],
])('the network around %s: %s', (address, network) => {
  expect(wideNetworkOf(address)).toBe(network)
})
