import { describe, expect, test } from 'bun:test'
import { isVendorCall, vendorPath } from './index.ts'

const headersOf = (names: readonly string[]) => ({ get: (name: string) => (names.includes(name) ? 'x' : null) })
const GOOG = 'x-goog-api-key'
const M = 'models/m:generateContent'

describe('another API version, called by one of the vendor’s SDKs, is the one that is served', () => {
  test.each([
    ['/v1/models', ''],
    ['/v1/models/m', ''],
    [`/v1/${M}`, ''],
    ['/v1/models/org%2Fm:streamGenerateContent', 'alt=sse'],
    ['/v1alpha/models', 'pageSize=5'],
    ['/v1alpha/models/m:countTokens', ''],
  ])('%s?%s', (path, query) => {
    const served = path.replace(/^\/v1(alpha)?\//, '/v1beta/')
    expect(vendorPath(path, query, headersOf([GOOG]))).toBe(served)
    expect(vendorPath(path, `${query}&key=sk-x`, headersOf([]))).toBe(served)
  })
})

describe('every other path stays as it is', () => {
  test.each<[path: string, query: string, names: string[]]>([
    // Not that vendor's credential.
    [`/v1/${M}`, '', []],
    [`/v1/${M}`, '', ['x-gen-api-key']],
    [`/v1/${M}`, 'key=', []],
    [`/v1alpha/${M}`, '', ['authorization']],
    ['/v1/models', '', ['authorization']],
    // Another protocol's credential wins where both call the same path.
    ['/v1/models', '', ['authorization', GOOG]],
    ['/v1/models/m', 'key=sk-x', ['authorization']],
    ['/v1/models', '', ['x-api-key', GOOG]],
    ['/v1/models', '', ['anthropic-version', GOOG]],
    // Not this protocol's.
    ['/v1/chat/completions', 'key=sk-x', [GOOG]],
    ['/v1/modelsx', '', [GOOG]],
    ['/v2/models', '', [GOOG]],
    ['/v1beta1/models', '', [GOOG]],
    ['/v1/v1/models', '', [GOOG]],
  ])('%s?%s with %j', (path, query, names) => {
    expect(vendorPath(path, query, headersOf(names))).toBe(path)
  })
})

test('a call of a model is told by its path alone, where headers are not read yet', () => {
  expect(['/v1/models/m:generateContent', '/v1alpha/models/m:streamGenerateContent'].map(isVendorCall)).toEqual([
    true,
    true,
  ])
  expect(['/v1/models/m', '/v1/usage/m:generateContent', '/v1/chat/completions'].some(isVendorCall)).toBe(false)
})
