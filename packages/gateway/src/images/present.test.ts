import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cancel } from '@trivium/http/cancel.ts'
import type { ReplyImage } from '@trivium/protocol/canonical/image.ts'
import { memoryRecords } from '../../test-support/media/records.ts'
import { createDiskBlobs } from '../media/disk.ts'
import { createLargeResponses } from '../media/large-responses.ts'
import { createMediaStore } from '../media/media-store.ts'
import { Failure } from '../request/failure.ts'
import type { ImageCall } from './image-call.ts'
import { dimensionsOf, present } from './present.ts'

/** 1 x 1 pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const inPiecesOf = (size: number): NonNullable<ReplyImage['base64']> => ({
  pieces: (PNG.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).map((text) => Buffer.from(text)),
  length: PNG.length,
})

/** Only what `present` reads. */
const callFor = (responseFormat: 'url' | 'b64_json', leftMs = 300_000) =>
  ({
    own: { request: { responseFormat }, heldBytes: 0 },
    upstreamCall: { leftMs, suspendIdle() {}, cancellation: new Cancel() },
    caller: { account: 7n },
    attempt: { candidate: { upstream: { baseUrl: 'https://vendor.example/v1', allowPrivate: false } } },
  }) as unknown as ImageCall

function dependencies(status = 200, bytes: Uint8Array = Buffer.from(PNG, 'base64')) {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-present-'))
  const blobs = createDiskBlobs(folder)
  const { media, rows } = memoryRecords(() => 1_000)
  return {
    rows,
    blobs,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
    mediaStore: createMediaStore(media, blobs),
    signedUrls: { sign: ({ id }: { id: string }) => `/media/${id}` } as never,
    fetchPublic: async () => ({ status, contentType: undefined, bytes }),
    catalogue: () => ({ config: { retention: { media: 60_000 } as never } }),
  }
}

test.each([1, 7, 1_000])('an image that arrives %i characters at a time is known by its content', async (size) => {
  const base64 = inPiecesOf(size)
  expect(await dimensionsOf({ base64, unknown: [] })).toBe('1x1')
  using deps = dependencies()
  const { url } = await present({ base64, unknown: [] }, callFor('url'), deps)
  const [row] = deps.rows.values()
  expect(row).toMatchObject({ account: 7n, contentType: 'image/png', size: Buffer.from(PNG, 'base64').length })
  expect(url).toBe(`/media/${row?.id}`)
})

test.each(['url', 'b64_json'] as const)('what a URL of the upstream gives is an image in %s', async (format) => {
  using deps = dependencies()
  const { url, base64 } = await present({ url: 'https://cdn.example/1', unknown: [] }, callFor(format), deps)
  if (format === 'url') expect(url).toStartWith('/media/')
  else expect(Buffer.concat(base64?.pieces ?? []).toString()).toBe(PNG)
})

test.each<[what: string, status: number, text: string]>([
  ['an error status', 403, 'iVBORw0KGgo='],
  ['a page', 200, '<html>expired</html>'],
  ['nothing', 200, ''],
])('%s behind a URL of the upstream is a failure of the upstream', async (_, status, text) => {
  using deps = dependencies(status, Buffer.from(text))
  const failed = present({ url: 'https://cdn.example/1', unknown: [] }, callFor('b64_json'), deps)
  expect(await failed.catch((error) => (error instanceof Failure ? error.info.code : error))).toBe('upstream_error')
})

test('a stored response is read by its owner, and is absent once its content is', async () => {
  using deps = dependencies()
  const { keep, open } = createLargeResponses(deps.mediaStore)
  const id = await keep(7n, [Buffer.from('one '), Buffer.from('two')], 60_000)
  const written: Uint8Array[] = []
  const body = await open(7n, id)
  const last = await body?.run({ write: (bytes) => void written.push(bytes) })
  expect([body?.length, Buffer.concat([...written, last ?? Buffer.of()]).toString()]).toEqual([7, 'one two'])
  expect(await open(8n, id)).toBeUndefined()
  await deps.blobs.delete(id)
  expect(await open(7n, id)).toBeUndefined()
})

test.each([
  ['https://vendor.example/v1', 'vendor.example', 443, true],
  ['https://vendor.example/v1', 'vendor.example', 8443, false],
  ['http://10.0.0.5/v1', '10.0.0.5', 80, true],
  ['http://10.0.0.5/v1', '10.0.0.5', 22, false],
  ['http://[fd00::5]:8080/v1', 'fd00::5', 8080, true],
  ['http://10.0.0.5:8080/v1', '10.0.0.6', 8080, false],
])('the upstream at %s may link to its own host and port, not to any other: %s port %i %p', async (baseUrl, host, port, own) => {
  using deps = dependencies()
  let isAllowed: boolean | undefined
  const call = { ...callFor('b64_json'), attempt: { candidate: { upstream: { baseUrl, allowPrivate: false } } } }
  const fetchPublic: typeof deps.fetchPublic = async (
    ...[, options]: never[] | [string, { allowHost(host: string, port: number): boolean }]
  ) => {
    isAllowed = options?.allowHost(host, port)
    return deps.fetchPublic()
  }
  await present({ url: 'https://cdn.example/1', unknown: [] }, call as unknown as ImageCall, { ...deps, fetchPublic })
  expect(isAllowed).toBe(own)
})

test.each([
  ['the usual time', 300_000, 60_000],
  ['what is left of the time for the upstream', 5_000, 5_000],
])('a URL is fetched within %s', async (_, leftMs, timeoutMs) => {
  using deps = dependencies()
  const seen: unknown[] = []
  const fetchPublic = async (_url: string, options: { timeoutMs: number }) => {
    seen.push(options.timeoutMs)
    return deps.fetchPublic()
  }
  await present({ url: 'https://cdn.example/1', unknown: [] }, callFor('b64_json', leftMs), { ...deps, fetchPublic })
  expect(seen).toEqual([timeoutMs])
})
