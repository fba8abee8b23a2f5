// Which callback URLs a submit may name.
import { describe, expect, test } from 'bun:test'
import { Failure } from '../../request/failure.ts'
import { checkCallbackUrl } from './url-policy.ts'

const isAccepted = (url: string, allowPrivate: boolean): boolean => {
  try {
    checkCallbackUrl(url, allowPrivate)
    return true
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code, param, message } = error.info
    expect([code, param]).toEqual(['bad_request', 'callback_url'])
    expect(message).not.toMatch(/127|localhost|169/)
    return false
  }
}

const long = (length: number) => `https://example.com/`.padEnd(length, 'a')

describe('callback URLs', () => {
  test.each([
    'https://example.com/hook',
    'http://example.com:8080/hook?task=1#x',
    'HTTPS://EXAMPLE.COM./',
    'https://hook_1.bücher.example/',
    'http://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://example.com/user@host',
    'https://example.com/?to=http://127.0.0.1/',
    long(2_048),
  ])('%s is accepted', (url) => {
    expect([isAccepted(url, false), isAccepted(url, true)]).toEqual([true, true])
  })

  test.each([
    'http://127.0.0.1/',
    'http://127.255.255.254:8080/',
    'http://10.0.0.1/',
    'http://172.31.255.255/',
    'http://192.168.0.1/',
    'http://100.64.0.1/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[fc00::1]/',
    'http://[fd12:3456:789a::1]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://api.localhost:8080/',
    'http://ⓛocalhost/',
    'http://localhost.localdomain/',
    'http://ip6-loopback/',
  ])('%s is accepted only where private hosts are allowed', (url) => {
    expect([isAccepted(url, false), isAccepted(url, true)]).toEqual([false, true])
  })

  test.each([
    // Metadata services, and addresses that lead nowhere
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://192.0.0.192/',
    'http://[fd00:ec2::254]/',
    'http://[fd20:ce::254]/',
    'http://metadata.google.internal/',
    'http://METADATA.google.internal./',
    'http://metadata/',
    'http://instance-data/',
    'http://0.0.0.0/',
    'http://[::]/',
    'http://[fe80::1]/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[2002:7f00:1::]/',
    'http://[64:ff9b::127.0.0.1]/',
    // Other spellings of addresses
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://127.0.0.01/',
    'http://127。0。0。1/',
    'http://①②⑦.0.0.1/',
    'http://%31%32%37.0.0.1/',
    'http://2852039166/',
    // Hosts that two parsers could read in two ways
    'http://example.com\\@127.0.0.1/',
    'http:\\\\example.com/',
    'http://exa\tmple.com/',
    'http://example.com\n/',
    ' http://example.com/',
    'http:///example.com/',
    'http:example.com',
    'http://[fe80::1%25eth0]/',
    // Userinfo
    'http://user:secret@example.com/',
    'http://user@example.com/',
    'http://@example.com/',
    // No URL of a host
    '',
    'example.com/hook',
    '//example.com/',
    'http://',
    'http://example.com:0/',
    'http://example.com:65536/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'gs://bucket/object',
    'ws://example.com/',
    'javascript:alert(1)',
    long(2_049),
  ])('%j is rejected', (url) => {
    expect([isAccepted(url, false), isAccepted(url, true)]).toEqual([false, false])
  })
})
