import { expect, test } from 'bun:test'
import { createCipheriv, createHash } from 'node:crypto'
import { decryptWith } from './decrypt.ts'

const decrypt = decryptWith('sk-salt')
/** As LiteLLM wrote it. */
const BOX = 'tRKxtXPKq15aJm__1MyaZmzTSSh3OkgcshEORrg_Vbm9Gk4tliNPQI2uQRxI4E85W-m8vhrufMDZipzn'

function gcm(text: string, salt: string): string {
  const nonce = Buffer.alloc(12, 7)
  const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update(salt).digest(), nonce)
  const body = Buffer.concat([cipher.update(text), cipher.final()])
  return `v2:gcm:${Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')}`
}

test('both ciphers, and both alphabets of base64', () => {
  expect(decrypt(BOX, 'x')).toBe('sk-vendor-secret-123')
  expect(decrypt(BOX.replaceAll('_', '/').replaceAll('-', '+'), 'x')).toBe('sk-vendor-secret-123')
  expect(decrypt(gcm('é', 'sk-salt'), 'x')).toBe('é')
  expect(decrypt(gcm('', 'sk-salt'), 'x')).toBe('')
})

test('what is not encrypted is plain text', () => {
  const plain = [
    '',
    'openai/gpt-4o',
    'sk-ant-api03-0123456789012345678901234567890123456789012345678901234567',
    'https://a/b',
  ]
  expect(plain.map((text) => decrypt(text, 'x'))).toEqual(plain)
})

test.each([
  ['another salt key', 'other', BOX],
  ['another salt key, in the newer cipher', 'other', gcm('a', 'sk-salt')],
  ['a damaged value', 'sk-salt', `${BOX.slice(0, -4)}AAAA`],
  ['a value that is cut off', 'sk-salt', 'v2:gcm:AAAA'],
  ['no salt key', undefined, BOX],
])('%s: an error that names the place, not the value', (_, salt, text) => {
  const open = () => decryptWith(salt)(text, 'LiteLLM_ProxyModelTable m1, api_key,')
  expect(open).toThrow(/^LiteLLM_ProxyModelTable m1, api_key, .*salt key/)
  expect(open).not.toThrow(text)
})
