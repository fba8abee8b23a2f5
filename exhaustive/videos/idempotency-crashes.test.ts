// A submit with an `Idempotency-Key` whose process dies before it has responded.
import { afterAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../test/support/eventually.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES } from '../../test/support/gateway/home.ts'
import { configForVideos, newVideoClient, QUICK } from '../../test/support/gateway/video-gateway.ts'
import { videoBody, videoClient } from '../../test/support/requests/videos.ts'
import { doubledSubmits, startScriptedVideo } from '../../test/support/upstreams/scripted-video.ts'

const keyed = (key: string) => ({ 'idempotency-key': key })

describe.each([...ENGINES])('kill -9 between the submit and its response, on %s', async (engine) => {
  const upstream = await startScriptedVideo()
  let gateway: Gateway | undefined
  afterAll(async () => {
    await gateway?.stop()
    upstream.stop()
  })

  test('the repetition gets the task of the first, which is not submitted again', async () => {
    const config = configForVideos(upstream, upstream)
    gateway = await startGateway({ engine, config, taskTiming: QUICK })
    const { secret, settled } = await newVideoClient(gateway)
    upstream.script.submit = 'accept-hang'
    const lost = videoClient(gateway, secret).send(videoBody(), keyed('a'))
    lost.catch(() => {})
    await eventually(() => upstream.count('submit') === 1)
    await gateway.kill()
    await lost.catch(() => {})
    upstream.script.submit = 'accept'
    gateway = await startGateway({ home: gateway.home, taskTiming: QUICK })
    const client = videoClient(gateway, secret)
    let response = await client.send(videoBody(), keyed('a'))
    await eventually(async () => {
      if (response.status !== 200) response = await client.send(videoBody(), keyed('a'))
      return response.status === 200
    })
    expect(response.headers.get('idempotent-replayed')).toBe('true')
    const { id } = (await response.json()) as { id: string }
    await client.until(id, 'succeeded')
    expect(upstream.submits.map(({ reference }) => reference)).toEqual([id])
    expect(doubledSubmits(upstream)).toEqual([])
    expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.25' }])
  })
})
