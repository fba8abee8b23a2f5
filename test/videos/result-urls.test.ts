// Which URLs of a finished video the gateway fetches, and how long its own last.
import { afterAll, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { newVideoClient, startVideoGateway } from '../support/gateway/video-gateway.ts'
import { videoBody } from '../support/requests/videos.ts'
import { startUpstream } from '../support/upstreams/raw-upstream.ts'

const { gateway, first } = await startVideoGateway()
const brief = await startVideoGateway({ more: 'retention: { media: 5s }' })
const other = await startUpstream()
afterAll(() => other.stop())
const newClient = () => newVideoClient(gateway)

/** A URL of the vendor's that expires so soon. */
const expiringIn = (seconds: number) => {
  const at = Math.floor(Date.now() / 1_000) + seconds
  const { fileUrl } = first.script
  first.script.fileUrl = (id, file) => `${fileUrl(id, file)}?Expires=${at}`
}

test('its own host is private and allowed, for it is configured', async () => {
  const client = await newClient()
  const id = await client.submit(videoBody('guarded'))
  await client.until(id, 'succeeded')
})

test('another private host is not called without allow_private', async () => {
  const client = await newClient()
  expiringIn(2)
  first.script.fileUrl = () => `${other.url}/video.mp4?Expires=${Math.floor(Date.now() / 1_000) + 2}`
  const id = await client.submit(videoBody('guarded'))
  await client.until(id, 'failed')
  expect(other.received).toEqual([])
})

test('a redirect to another private host is not followed without allow_private', async () => {
  const client = await newClient()
  expiringIn(2)
  first.script.download = { status: 302, headers: { location: `${other.url}/video.mp4` } }
  const id = await client.submit(videoBody('guarded'))
  await client.until(id, 'failed')
  expect(other.received).toEqual([])
})

test.each(['file:///etc/passwd', 'nonsense', 'ftp://example.com/a.mp4'])('%s', async (url) => {
  const client = await newClient()
  first.script.fileUrl = () => url
  const id = await client.submit()
  await eventually(() => /video not copied/.test(gateway.output().stderr))
  // The upstream may give another URL each time.
  await Bun.sleep(150)
  first.script.fileUrl = (task, file) => `${new URL(first.baseUrl).origin}/files/${task}/${file}`
  await client.until(id, 'succeeded')
})

test('after retention.media the task has succeeded, without a URL', async () => {
  const client = await newVideoClient(brief.gateway)
  const id = await client.submit()
  const { content } = await client.until(id, 'succeeded')
  const url = content?.video_url ?? ''
  expect((await fetch(url)).status).toBe(200)
  await eventually(async () => (await client.read(id)).content?.video_url === undefined)
  expect(await client.read(id)).toMatchObject({ status: 'succeeded', usage: { total_tokens: 1_000 } })
  expect([403, 404]).toContain((await fetch(url)).status)
})
