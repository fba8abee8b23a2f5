// A finished video is copied from the upstream's URL, whatever happens to the download; else the task fails and is released.
import { describe, expect, test } from 'bun:test'
import { eventually } from '../../test/support/eventually.ts'
import { newVideoClient, startVideoGateway } from '../../test/support/gateway/video-gateway.ts'
import { videoBody } from '../../test/support/requests/videos.ts'
import type { DownloadMode } from '../../test/support/upstreams/scripted-video.ts'

const { gateway, first, second } = await startVideoGateway()
const impatient = await startVideoGateway({
  timing: { copyPace: { freeMs: 200, windowMs: 400, bytesPerSecond: 8_192 } },
})
const newClient = () => newVideoClient(gateway)
const CHARGED = [{ outcome: 'completed', cost_usd: '0.25' }]
const bytesOf = async (url = '') => Buffer.from(await (await fetch(url)).arrayBuffer())

/** A URL of the vendor's that expires so soon. */
const expiringIn = (seconds: number) => {
  const at = Math.floor(Date.now() / 1_000) + seconds
  const { fileUrl } = first.script
  first.script.fileUrl = (id, file) => `${fileUrl(id, file)}?Expires=${at}`
}

test.each<[string, DownloadMode[]]>([
  ['slow', ['slow']],
  ['short', ['short', 'works']],
  ['broken', ['broken', 'works']],
  ['silent', ['stall', 'works']],
  ['403', [{ status: 403 }, 'works']],
  ['403, 500, a reset', [{ status: 403 }, { status: 500 }, 'cut', 'works']],
  ['a redirect', ['redirect']],
])('%s: the copy is complete in the end', async (_, modes) => {
  const client = await newClient()
  first.script.nextDownloads = [...modes]
  const id = await client.submit()
  const { content } = await client.until(id, 'succeeded', 'failed')
  expect((await bytesOf(content?.video_url)).equals(first.script.video)).toBe(true)
  expect(await client.settled()).toMatchObject(CHARGED)
})

test('the last frame', async () => {
  const client = await newClient()
  first.script.nextDownloads = ['works', 'short', 'works', 'works']
  const id = await client.submit(videoBody('vid', { return_last_frame: true }))
  const { content } = await client.until(id, 'succeeded')
  const frame = await fetch(content?.last_frame_url ?? '')
  expect(frame.headers.get('content-type')).toBe('image/png')
  expect(Buffer.from(await frame.arrayBuffer()).equals(first.script.lastFrame)).toBe(true)
  expect((await bytesOf(content?.video_url)).equals(first.script.video)).toBe(true)
})

test('the last frame that was not requested is not shown', async () => {
  const client = await newClient()
  const id = await client.submit()
  expect((await client.until(id, 'succeeded')).content).not.toHaveProperty('last_frame_url')
})

test('a download that trickles is ended, and tried again', async () => {
  const client = await newVideoClient(impatient.gateway)
  impatient.first.script.nextDownloads = ['trickle', 'works']
  const id = await client.submit()
  await client.until(id, 'succeeded')
  expect(impatient.first.count('download')).toBe(2)
})

test('films of one account that never end stop no video of another, and what waits goes on when a slot is free', async () => {
  const [greedy, polite] = [await newClient(), await newClient()]
  first.script.download = 'trickle'
  const ids = await Promise.all(Array.from({ length: 12 }, () => greedy.submit()))
  // Every film is made, and waits for its copy or has one.
  await eventually(async () => [...first.tasks.values()].every(({ states }) => states.length === 1))
  await eventually(() => first.count('download') >= 4)
  first.script.download = 'works'
  const { content } = await polite.until(await polite.submit(), 'succeeded')
  expect((await bytesOf(content?.video_url)).equals(first.script.video)).toBe(true)
  // Some of the greedy account's wait: it has no more than its share.
  const downloads = first.count('download') - 1
  expect(downloads).toBeLessThan(ids.length)
  for (const id of ids) expect(await greedy.read(id)).toMatchObject({ status: 'running' })
  first.script.trickles = false
  for (const id of ids) await greedy.until(id, 'succeeded')
  expect(await greedy.settled()).toMatchObject(ids.map(() => CHARGED[0]))
})

test('a slow upstream stops no video of another one', async () => {
  const [slow, quick] = [await newClient(), await newClient()]
  first.script.download = 'trickle'
  const clients = [slow, await newClient(), await newClient(), await newClient()]
  await Promise.all(clients.flatMap((client) => Array.from({ length: 4 }, () => client.submit())))
  await eventually(async () => [...first.tasks.values()].every(({ states }) => states.length === 1))
  first.script.nextSubmits = [{ status: 503 }]
  await quick.until(await quick.submit(videoBody('two')), 'succeeded')
  expect(second.count('download')).toBe(1)
  first.script.trickles = false
})

test('nothing is charged before the copy is complete', async () => {
  const client = await newClient()
  first.script.download = { status: 500 }
  const id = await client.submit()
  await eventually(() => first.count('download') >= 3)
  expect(await client.read(id)).toMatchObject({ status: 'running' })
  expect(await client.rows()).toMatchObject([{ outcome: 'running' }])
  first.script.download = 'works'
  await client.until(id, 'succeeded')
  expect(await client.settled()).toMatchObject(CHARGED)
})

describe('failed, released, with the possible cost on the receipt', () => {
  test.each<[string, DownloadMode]>([
    ['a URL that has expired', { status: 403 }],
    ['always short', 'short'],
  ])('%s', async (_, mode) => {
    const client = await newClient()
    first.script.download = mode
    expiringIn(2)
    const id = await client.submit()
    expect((await client.until(id, 'failed')).error?.code).toBe('InternalServiceError')
    expect(first.count('download')).toBeGreaterThan(2)
    const [row] = await client.settled()
    expect(row).toMatchObject({ outcome: 'failed', cost_usd: '0.00' })
    expect(row?.receipt).toMatchObject({ possible_upstream_cost: '0.25' })
  })

  test.each<[string, DownloadMode, Record<string, unknown>]>([
    ['no such file', { status: 404 }, {}],
    ['forbidden', { status: 403 }, {}],
    ['a page of HTML', { status: 200, body: '<html>expired</html>' }, {}],
    ['an empty file', { status: 200, body: '' }, {}],
    ['a success without a URL', 'works', { content: undefined }],
    ['a success without content', 'works', { content: {} }],
  ])('%s, three times', async (_, mode, record) => {
    const client = await newClient()
    first.script.download = mode
    first.script.states = ['running', { status: 'succeeded', ...record }]
    const id = await client.submit()
    const { error } = await client.until(id, 'failed')
    expect(error?.code).toBe('InternalServiceError')
    expect(first.count('download')).toBe(mode === 'works' ? 0 : 3)
    // The URL was asked for again before each further try.
    expect(first.count('query')).toBe(mode === 'works' ? 5 : 4)
    const [row] = await client.settled()
    expect(row).toMatchObject({ outcome: 'failed', cost_usd: '0.00', receipt: { possible_upstream_cost: '0.25' } })
  })

  test('larger than any video', async () => {
    const client = await newClient()
    first.script.download = 'oversized'
    const id = await client.submit()
    await client.until(id, 'failed')
    expect(first.count('download')).toBe(1)
    expect((await client.settled())[0]?.receipt).toMatchObject({ possible_upstream_cost: '0.25' })
  })
})
