// A finished video is copied from the upstream's URL, whatever happens to the download; else the task fails and is released.
import { describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { newVideoClient, startVideoGateway } from '../support/gateway/video-gateway.ts'
import { videoBody } from '../support/requests/videos.ts'
import type { DownloadMode } from '../support/upstreams/scripted-video.ts'

const { gateway, first } = await startVideoGateway()
const newClient = () => newVideoClient(gateway)
const CHARGED = [{ ending: 'completed', cost_usd: '0.25' }]
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

test('nothing is charged before the copy is complete', async () => {
  const client = await newClient()
  first.script.download = { status: 403 }
  const id = await client.submit()
  await eventually(() => first.count('download') >= 3)
  expect(await client.read(id)).toMatchObject({ status: 'running' })
  expect(await client.rows()).toMatchObject([{ ending: 'running' }])
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
    expect(row).toMatchObject({ ending: 'failed', cost_usd: '0.00' })
    expect(row?.receipt).toMatchObject({ possible_upstream_cost: '0.25' })
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
