import { describe, expect, test } from 'bun:test'
import { isIP } from 'node:net'
import fc from 'fast-check'
import { formatIp, inBlock, kindOf, parseBlock, parseIp } from './ip-address.ts'

describe('spellings', () => {
  test.each([
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['2001:DB8::A', '2001:db8::a'],
    ['2001:0db8:0000:0000:0001:0000:0000:0001', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['0:0:1:0:0:0:1:0', '0:0:1::1:0'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::FFFF:102:304', '1.2.3.4'],
    ['::1.2.3.4', '::102:304'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304'],
  ])('%s is %s', (text, canonical) => {
    const ip = parseIp(text)
    expect(ip && formatIp(ip)).toBe(canonical)
  })

  test.each([
    '',
    ' ',
    '1',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '01.2.3.4',
    '1.2.3.04',
    '0x1.2.3.4',
    '1.2.3.4 ',
    '1..2.3',
    '-1.2.3.4',
    ':',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '::1::',
    '12345::',
    'g::',
    '[::1]',
    '::1%eth0',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '::1.2.3',
    '::1.2.3.04',
    '1::2::3',
    ':1:2:3:4:5:6:7:8',
    '١.2.3.4',
    `${'0'.repeat(50)}::1`,
  ])('%j is no address', (text) => {
    expect(parseIp(text)).toBeUndefined()
  })

  test('agrees with the platform about what is an address, and a formatted address parses to itself', () => {
    const loose = fc.stringMatching(/^[0-9a-f:.]{1,20}$/)
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), loose), (text) => {
        const ip = parseIp(text)
        expect(ip !== undefined).toBe(isIP(text) !== 0)
        if (ip !== undefined) expect(parseIp(formatIp(ip))).toEqual(ip)
      }),
    )
  })
})

describe('blocks', () => {
  test.each<[string, string[], string[]]>([
    ['10.0.0.0/8', ['10.0.0.0', '10.255.255.255', '::ffff:10.1.2.3'], ['9.255.255.255', '11.0.0.0', '::a00:1']],
    ['192.168.1.128/25', ['192.168.1.128', '192.168.1.255'], ['192.168.1.127', '192.168.2.128']],
    ['203.0.113.7', ['203.0.113.7'], ['203.0.113.6', '203.0.113.8']],
    ['0.0.0.0/0', ['0.0.0.0', '255.255.255.255'], ['::', '::1']],
    ['::/0', ['::', 'ffff::1'], ['1.2.3.4']],
    ['2001:db8::/33', ['2001:db8:7fff::1'], ['2001:db8:8000::1']],
    ['::1/128', ['::1'], ['::2']],
    ['::ffff:10.0.0.0/104', ['10.9.9.9'], ['11.0.0.0']],
  ])('%s', (text, inside, outside) => {
    const block = parseBlock(text)
    if (typeof block === 'string') throw new Error(block)
    const isInside = (address: string) => {
      const ip = parseIp(address)
      return ip !== undefined && inBlock(ip, block)
    }
    expect(inside.filter((address) => !isInside(address))).toEqual([])
    expect(outside.filter(isInside)).toEqual([])
  })

  test.each([
    ['10.0.0.0/33', 'between 0 and 32'],
    ['10.0.0.0/-1', 'between 0 and 32'],
    ['10.0.0.0/', 'between 0 and 32'],
    ['10.0.0.0/1e1', 'between 0 and 32'],
    ['10.0.0.0/8/8', 'not an address'],
    ['::/129', 'between 0 and 128'],
    ['::ffff:10.0.0.0/8', 'between 96 and 128'],
    ['10.1.2.3/8', 'write 10.0.0.0/8'],
    ['2001:db8::1/32', 'write 2001:db8::/32'],
    ['proxy.example', 'not an address'],
    ['', 'not an address'],
  ])('%j is invalid: %s', (text, words) => {
    expect(parseBlock(text)).toContain(words)
    expect(parseBlock(text)).toContain(JSON.stringify(text))
  })
})

test('no address that embeds a private one is public', () => {
  const wrappers = ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::']
  const inward = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.0.1', '0.0.0.0']
  for (const wrapper of wrappers)
    for (const inner of inward) {
      const ip = parseIp(wrapper + inner)
      if (ip === undefined) throw new Error(wrapper + inner)
      expect(['private', 'special']).toContain(kindOf(ip))
    }
})
