import { expect, test } from 'bun:test'
import { ownHostOf } from './own-host.ts'
import { guardPublic } from './public/guard-public.ts'

test.each<[baseUrl: string, url: string, isOwn: boolean]>([
  ['http://[fd00::1]:8080/api/v3', 'http://[fd00::1]:8080/files/a.mp4', true],
  ['http://[FD00:0::0:1]:8080/api/v3', 'http://[fd00::1]:8080/files/a.mp4', true],
  ['http://[fd00::1]/v1', 'http://[fd00::1]:80/files/a.mp4', true],
  ['http://[fd00::1]:8080/api/v3', 'http://[fd00::1]:8081/files/a.mp4', false],
  ['http://[fd00::1]:8080/api/v3', 'http://[fd00::2]:8080/files/a.mp4', false],
  ['http://10.0.0.7/v1', 'http://10.0.0.7/a.png', true],
  ['https://10.0.0.7/v1', 'http://10.0.0.7/a.png', false],
  ['https://Films.internal/v1', 'https://films.internal:443/a.png', true],
  ['https://films.internal./v1', 'https://films.internal/a.png', true],
  ['https://films.internal/v1', 'https://other.internal/a.png', false],
  ['sandbox:', 'http://10.0.0.7/a.png', false],
])('%s may deliver %s: %p', async (baseUrl, url, isOwn) => {
  const allowed = guardPublic(url, { allowHost: ownHostOf({ baseUrl }), resolve: async () => ['10.0.0.7'] })
  const result = await allowed.then(
    () => true,
    () => false,
  )
  expect(result).toBe(isOwn)
})
