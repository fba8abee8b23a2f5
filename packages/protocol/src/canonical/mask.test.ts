import { describe, expect, test } from 'bun:test'
import { maskSecrets } from './mask.ts'

const MASKED: [text: string, expected: string][] = [
  ['Incorrect API key provided: sk-proj-abcDEF123456.', 'Incorrect API key provided: [key].'],
  ['Incorrect API key provided: sk-ab***************wxyz. See below', 'Incorrect API key provided: [key]. See below'],
  ['key AIzaSyA1234567890abcdefghijklmnopqrstuvw is blocked', 'key [key] is blocked'],
  ['{"authorization":"Bearer abc.def-ghi"}', '{"authorization":"Bearer [key]"}'],
  ['authorization: bearer\tQWxhZGRpbjpvcGVu', 'authorization: bearer [key]'],
  ['groq gsk_0123456789abcdef, xai xai-0123456789abcdef', 'groq [key], xai [key]'],
  ['hf_abcdefghijkl ghp_abcdefghijkl AKIAIOSFODNN7EXAMPLE', '[key] [key] [key]'],
  ['jwt eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeKKF2Q', 'jwt [key]'],
  ['api-key: 0123456789abcdef0123456789abcdef', 'api-key: [key]'],
  ['Invalid key given "0f1e2d3c4b5a69788796a5b4c3d2e1f0.Ab12Cd34Ef56Gh78".', 'Invalid key given "[key]".'],
  ['GET /v1/models?key=abcdefghij0123456789 failed', 'GET /v1/models?key=[key] failed'],
  ['token MTIzNDU2Nzg5MGFiY2RlZmdoaWo= is wrong', 'token [key] is wrong'],
  ['Organization org-AbCdEf123456 has no access', 'Organization [organisation] has no access'],
  ['project proj_x1y2z3w4v5 is archived', 'project [organisation] is archived'],
  ['denied on resource projects/my-project-1/locations', 'denied on resource projects/[organisation]/locations'],
  ['contact Jane.Doe+ops@example.co.uk, please', 'contact [email], please'],
  ['<ops@localhost>', '<[email]>'],
  ['see https://platform.openai.com/account/api-keys.', 'see https://[host]/account/api-keys.'],
  ['POST http://user:pass@10.0.0.7:8080/v1?x=1', 'POST http://[host]/v1?x=1'],
  ['redis://cache.internal:6379 refused', 'redis://[host] refused'],
  ['getaddrinfo ENOTFOUND llm-7.corp.internal', 'getaddrinfo ENOTFOUND [host]'],
  ['Could not reach api.openai.com:443, sorry', 'Could not reach [host], sorry'],
  ['connect ECONNREFUSED 10.1.2.3:8080', 'connect ECONNREFUSED [address]'],
  ['from 192.168.0.1.', 'from [address].'],
  ['listen on [2001:db8::1]:443 or fe80::1', 'listen on [[address]]:443 or [address]'],
  ['peer 2001:0db8:0000:0000:0000:ff00:0042:8329 gone', 'peer [address] gone'],
  ['localhost:11434 is down', '[host] is down'],
]

const KEPT = [
  '',
  "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  'messages.0.content.1: Input should be a valid string',
  'The model gpt-4.1-mini-2025-04-14 takes at most 1,047,576 tokens at 12:34:56.',
  'tools[3].function.name must match ^[a-zA-Z0-9_-]{1,64}$',
  'key-value pairs only',
  'a task-specific, risk-averse disk-based setting',
  'The property std::string is not allowed; use a :: b',
  'Missing required key: response_format.json_schema.description',
  'request 550e8400-e29b-41d4-a716-446655440000 was refused',
]

describe('maskSecrets', () => {
  test.each(MASKED)('%s', (text, expected) => {
    expect(maskSecrets(text)).toBe(expected)
    expect(maskSecrets(expected)).toBe(expected)
  })

  test.each(KEPT.map((text) => [text]))('keeps: %s', (text) => {
    expect(maskSecrets(text)).toBe(text)
  })

  test('text is cut to 2,000 characters, and never inside a key', () => {
    for (let gap = 0; gap <= 10; gap += 1) {
      const text = `${'word '.repeat(398)}${'x'.repeat(10 - gap)} sk-${'s3cr3t'.repeat(20)} and more ${'.'.repeat(3_000)}`
      const masked = maskSecrets(text)
      expect(masked.length).toBeLessThanOrEqual(2_004)
      expect(masked).not.toContain('sk-')
      expect(masked.startsWith('word word')).toBe(true)
    }
    expect(maskSecrets('x'.repeat(1_000_000)).length).toBeLessThanOrEqual(2_004)
  })
})
