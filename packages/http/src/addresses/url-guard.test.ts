import { expect, test } from 'bun:test'
import { classifyUrl, type UrlClass } from './url-guard.ts'

const TABLE: Record<UrlClass, string[]> = {
  public: [
    ...['https://example.com/a.png', 'http://8.8.8.8/', 'HTTPS://EXAMPLE.COM', 'http://[2606:4700::1111]/'],
    ...['data:image/png;base64,iVBORw0KGgo=', 'DATA:text/plain,hi', '', 'files/abc123', 'file-abc', '12345', 'a.png'],
    ...['iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ', 'https://user:pass@example.com/', '//example.com/a'],
    ...['https://localhost.example.com/', 'https://notlocalhost/', 'https://example.com/?u=http://127.0.0.1/'],
    ...['https://example.com/a b', 'https://münchen.example/'],
  ],
  private: [
    ...['http://127.0.0.1/', 'http://127.1/', 'http://2130706433/', 'http://0x7f000001/', 'http://0177.0.0.1/'],
    ...['http://0x7f.0.0.1/', 'http://127.0.0.1.:80/', 'HTTP://127.0.0.1', 'http://%31%32%37.0.0.1/', 'http:127.0.0.1'],
    ...[
      'http:///127.0.0.1/',
      'http://１２７.０.０.１/',
      'http://127。0。0。1/',
      'http://user@127.0.0.1/',
      '  http://10.0.0.1',
    ],
    ...['http://example.com@10.0.0.1/', 'http://10.1.2.3:8080/x', 'http://172.16.0.1/', 'http://192.168.1.1/'],
    ...[
      'http://100.64.0.1/',
      'http://[::1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[::ffff:7f00:1]/',
      'http://[fd12::1]/',
    ],
    ...[
      'http://localhost/',
      'http://LOCALHOST./',
      'https://a.localhost:3000/',
      'http://ip6-localhost/',
      'ht\ntp://10.0.0.1/',
    ],
    ...['//127.0.0.1/x', '127.0.0.1:8080/x', '10.0.0.1/x', 'http://ⓛocalhost/', 'localhost', '[::1]:80/x'],
  ],
  forbidden: [
    ...['file:///etc/passwd', 'FILE:/etc/passwd', 'ftp://example.com/', 'gopher://10.0.0.1/', 'javascript:alert(1)'],
    ...['blob:https://example.com/1', 'ws://example.com/', 'unix:/run/x.sock', 'localhost:8080/x', 'jar:http://a/'],
    ...[
      'http://169.254.169.254/latest',
      'http://[fe80::1]/',
      'http://[fd00:ec2::254]/',
      'http://0.0.0.0/',
      'http://0/',
    ],
    ...['http://[64:ff9b::7f00:1]/', 'http://[64:ff9b::808:808]/', 'http://[::127.0.0.1]/', 'http://[2002:7f00:1::]/'],
    ...['http://metadata.google.internal/computeMetadata/v1/', 'http://100.100.100.200/', 'http://224.0.0.1/'],
    ...['http://2852039166/', 'http://0xa9.0xfe.0xa9.0xfe/', 'http://[::ffff:a9fe:a9fe]/', 'http://168.63.129.16/'],
    ...['http://example.com\\@127.0.0.1/', 'http://a@b@127.0.0.1/', 'http://[::1', 'http://', 'http://exa mple.com/'],
    ...['http://[fe80::1%25eth0]/', '\\\\127.0.0.1\\x', 'http://256.1.1.1/', 'https:'],
  ],
  object: ['gs://bucket/a.png', 'S3://bucket/a.png'],
}

test.each(
  Object.entries(TABLE).flatMap(([verdict, urls]) => urls.map((url) => [verdict, url] as const)),
)('%s: %s', (verdict, url) => expect(classifyUrl(url)).toBe(verdict as UrlClass))
