// Images to edit as URLs and data URLs, in JSON, to upstreams of every dialect.
import { describe, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { edit, generate } from '../support/requests/images.ts'
import { arkImages, called, generated, replyOf, useScriptedImages } from '../support/upstreams/scripted-images.ts'

const scripted = useScriptedImages()

describe('images to edit in JSON', () => {
  const body = (more: object) => JSON.stringify({ prompt: 'a hat', ...more })
  const headers = { 'content-type': 'application/json' }
  const url = () => `data:image/png;base64,${scripted.base64}`
  const made = (model: string) =>
    model === 'nano'
      ? generated(scripted)
      : model === 'tool'
        ? called(scripted)
        : { created: 1, data: [{ b64_json: scripted.base64 }] }

  test.each<[model: string, path: string, sent: () => string]>([
    ['linked', '/v1/images/edits', () => 'name="mask"; filename="mask.png"'],
    ['tool', '/v1/responses', () => `"input_image_mask":{"image_url":"${url()}"}`],
    [
      'nano',
      '/v1beta/models/nano-1:generateContent',
      () => `"inlineData":{"mimeType":"image/png","data":"${scripted.base64}"`,
    ],
    ['seed', '/api/v3/images/generations', () => `"image":["${url()}","${url()}"]`],
  ])('as data URLs, to %s', async (model, path, sent) => {
    scripted.answer = () => made(model)
    const { secret, settled } = await newKey(scripted.gateway)
    const mask = model === 'linked' || model === 'tool' ? { mask: { image_url: url() } } : {}
    const images = [{ image_url: url() }, { image_url: url() }]
    const response = await edit(scripted.gateway.url, secret, body({ model, images, ...mask }), { headers })
    expect([response.status, (await replyOf(response)).data[0]?.b64_json === scripted.base64]).toEqual([200, true])
    expect(scripted.seen[0]?.path).toBe(path)
    expect(scripted.seen[0]?.body).toContain(sent())
    expect((await settled()).map(({ outcome }) => outcome)).toEqual(['completed'])
  })

  test.each<[model: string, sent: string]>([
    ['seed', '"image":"https://example.com/a.png"'],
    ['tool', '"image_url":"https://example.com/a.png"'],
  ])('as URLs, which %s fetches by itself', async (model, sent) => {
    scripted.answer = () => made(model)
    const { secret } = await newKey(scripted.gateway)
    const images = [{ image_url: 'https://example.com/a.png' }]
    const response = await edit(scripted.gateway.url, secret, body({ model, images }), { headers })
    expect([response.status, scripted.seen[0]?.body]).toEqual([200, expect.stringContaining(sent)])
  })

  test('in the field image of a generation', async () => {
    scripted.answer = () => arkImages(scripted, 1)
    const { secret } = await newKey(scripted.gateway)
    for (const image of ['https://example.com/a.png', ['https://example.com/a.png', url()]]) {
      scripted.seen = []
      const response = await generate(scripted.gateway.url, secret, {
        model: 'seed',
        prompt: 'a hat',
        image,
        stream: true,
      })
      expect(await response.text()).toContain('event: image_generation.completed')
      expect(scripted.sent()).toMatchObject({ image })
    }
  })

  test('inside the network are rejected before anything is held', async () => {
    const { secret, rows } = await newKey(scripted.gateway)
    for (const model of ['seed', 'linked', 'nano', 'tool']) {
      const images = [{ image_url: `${scripted.upstream.url.origin}/image.png` }]
      const response = await edit(scripted.gateway.url, secret, body({ model, images }), { headers })
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('images[0].image_url')])
    }
    expect([await rows(), scripted.seen]).toEqual([[], []])
  })
})
