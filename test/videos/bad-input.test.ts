// Invalid requests for videos: a 4xx that names the field, nothing held, no task, nothing sent.
import { afterEach, expect, test } from 'bun:test'
import { newVideoClient, startVideoGateway } from '../support/gateway/video-gateway.ts'
import { errorOf, text, videoBody } from '../support/requests/videos.ts'

const { gateway, first } = await startVideoGateway({ more: 'server: { limits: { body: 64MiB } }' })
const client = await newVideoClient(gateway)

afterEach(async () => {
  expect(first.requests).toEqual([])
  expect(await client.rows()).toEqual([])
  expect(await client.account()).toMatchObject({ balance_usd: '10.00', held_usd: '0.00' })
  expect(await (await client.list()).json()).toEqual({ total: 0, items: [] })
})

const PNG = 'data:image/png;base64,iVBORw0KGgo='
const image = (role?: string, url = PNG) => ({ type: 'image_url', image_url: { url }, ...(role ? { role } : {}) })
const media = (kind: string, url: string) => ({ type: `${kind}_url`, [`${kind}_url`]: { url } })
const withContent = (...content: unknown[]) => ({ model: 'vid', content })
const withText = (prompt: string) => withContent(text(prompt))
const INVALID = 'InvalidParameter'

test.each<[string, object | string, param: string, status?: number, code?: string]>([
  ['no JSON', 'hello', ''],
  ['cut JSON', '{"model":"vid"', 'model'],
  ['a list', '[]', ''],
  ['no body', '', ''],
  ['no model', { content: [text()] }, 'model'],
  ['model null', { model: null, content: [text()] }, 'model'],
  ['model a number', { model: 7, content: [text()] }, 'model'],
  ['an unknown model', videoBody('none'), 'model', 404, 'InvalidEndpointOrModel.NotFound'],
  ['a text model', videoBody('sandbox-text'), 'model'],
  ['an image model', videoBody('sandbox-image'), 'model'],
  ['no content', { model: 'vid' }, 'content'],
  ['content null', { model: 'vid', content: null }, 'content'],
  ['content a text', { model: 'vid', content: 'A lighthouse' }, 'content'],
  ['content empty', withContent(), 'content'],
  ['content of 33 items', withContent(...Array(33).fill(text())), 'content'],
  ['an item that is a text', withContent('x'), 'content[0]'],
  ['an item that is null', withContent(null), 'content[0]'],
  ['an item without a type', withContent({ text: 'x' }), 'content[0].type'],
  ['an unknown type', withContent(text(), { type: 'smell_url', smell_url: { url: 'x' } }), 'content[1].type'],
  ['a text item without text', withContent({ type: 'text' }), 'content[0].text'],
  ['a text that is a number', withContent({ type: 'text', text: 7 }), 'content[0].text'],
  ['an empty text', withText(' '), 'content[0].text'],
  ['a long text', withText('x'.repeat(20_001)), 'content[0].text'],
  ['two payloads', withContent({ ...text(), image_url: { url: PNG } }), 'content[0].image_url'],
  ['an unknown role', withContent(text(), image('middle_frame')), 'content[1].role'],
  ['a role that is a number', withContent(text(), { ...image(), role: 7 }), 'content[1].role'],
  ['a role of another type', withContent(text(), image('reference_video')), 'content[1].role'],
  ['two first frames', withContent(text(), image(), image('first_frame')), 'content[2].role'],
  ['two last frames', withContent(image(), image('last_frame'), image('last_frame')), 'content[2].role'],
  ['a last frame alone', withContent(text(), image('last_frame')), 'content[1].role'],
  ['frames and references', withContent(text(), image('first_frame'), image('reference_image')), 'content[2].role'],
  ['ten images', withContent(text(), ...Array(10).fill(image('reference_image'))), 'content[10]'],
  ['more images than the model takes', withContent(text(), ...Array(5).fill(image('reference_image'))), 'content[5]'],
  ['four videos', withContent(...Array(4).fill(media('video', 'https://example.com/a.mp4'))), 'content[3]'],
  ['a draft with a text', withContent(text(), { type: 'draft_task', draft_task: { id: 'cgt-1' } }), 'content[1]'],
  ['an unknown draft', withContent({ type: 'draft_task', draft_task: { id: 'cgt-1' } }), 'content[0].draft_task.id'],
  ['a draft without an id', withContent({ type: 'draft_task', draft_task: {} }), 'content[0].draft_task.id'],
  ['an image that is a text', withContent({ type: 'image_url', image_url: PNG }), 'content[0].image_url'],
  ['no URL', withContent({ type: 'image_url', image_url: {} }), 'content[0].image_url.url'],
  ['another scheme', withContent(image('first_frame', 'file:///etc/passwd')), 'content[0].image_url.url'],
  ['a long URL', withContent(image('', `https://example.com/${'a'.repeat(9_000)}`)), 'content[0].image_url.url'],
  ['a data URL without base64', withContent(image('', 'data:image/png,abc')), 'content[0].image_url.url'],
  ['wrong base64', withContent(image('', 'data:image/png;base64,a*b=')), 'content[0].image_url.url'],
  ['base64 without padding', withContent(image('', 'data:image/png;base64,abcde')), 'content[0].image_url.url'],
  ['empty data', withContent(image('', 'data:image/png;base64,')), 'content[0].image_url.url'],
  ['a text as an image', withContent(image('', 'data:text/plain;base64,aGk=')), 'content[0].image_url.url'],
  ['an unknown image type', withContent(image('', 'data:image/svg+xml;base64,aGk=')), 'content[0].image_url.url'],
  [
    'a data URL that is too large',
    withContent(image('', `data:image/png;base64,${'A'.repeat(40_000_004)}`)),
    'content[0].image_url.url',
  ],
  ["a vendor's object", withContent(text(), image('', 'asset://abc')), 'content[1].image_url.url'],
  ['duration too long', videoBody('vid', { duration: 13 }), 'duration'],
  ['duration too short', videoBody('vid', { duration: 3 }), 'duration'],
  ['duration zero', videoBody('vid', { duration: 0 }), 'duration'],
  ['duration a fraction', videoBody('vid', { duration: 5.5 }), 'duration'],
  ['duration a text', videoBody('vid', { duration: '5' }), 'duration'],
  ['frames too many', videoBody('vid', { frames: 500 }), 'frames'],
  ['resolution not offered', videoBody('vid', { resolution: '480p' }), 'resolution'],
  ['resolution unreadable', videoBody('vid', { resolution: 'large' }), 'resolution'],
  ['resolution a number', videoBody('vid', { resolution: 720 }), 'resolution'],
  ['ratio not offered', videoBody('vid', { ratio: '21:9' }), 'ratio'],
  ['ratio unreadable', videoBody('vid', { ratio: 'wide' }), 'ratio'],
  ['seed too large', videoBody('vid', { seed: 2 ** 32 }), 'seed'],
  ['watermark a text', videoBody('vid', { watermark: 'yes' }), 'watermark'],
  ['camera_fixed a number', videoBody('vid', { camera_fixed: 1 }), 'camera_fixed'],
  ['generate_audio a text', videoBody('vid', { generate_audio: 'true' }), 'generate_audio'],
  ['draft a number', videoBody('vid', { draft: 1 }), 'draft'],
  ['return_last_frame a text', videoBody('vid', { return_last_frame: 'no' }), 'return_last_frame'],
  ['service_tier a number', videoBody('vid', { service_tier: 1 }), 'service_tier'],
  ['expiry too soon', videoBody('vid', { execution_expires_after: 60 }), 'execution_expires_after'],
  ['expiry too late', videoBody('vid', { execution_expires_after: 300_000 }), 'execution_expires_after'],
  ['callback_url a number', videoBody('vid', { callback_url: 7 }), 'callback_url'],
  ['tools an object', videoBody('vid', { tools: {} }), 'tools'],
  ['a flag for a duration that is too long', withText('A cat --dur 13'), 'content[0].text'],
  ['a flag for a duration of none', withText('A cat --duration 0'), 'content[0].text'],
  ['a flag for a resolution not offered', withText('A cat --rs 480p'), 'content[0].text'],
  ['a flag for a ratio not offered', withText('A cat --ratio 21:9'), 'content[0].text'],
  [
    'a flag that contradicts a field, and is too long',
    { ...withText('A cat --dur 30'), duration: 5 },
    'content[0].text',
  ],
])('%s', async (_, body, param, status = 400, code = INVALID) => {
  expect(await errorOf(await client.send(body))).toEqual([status, code, param])
})

test('a body above the limit', async () => {
  expect(await errorOf(await client.send({ ...videoBody(), x: 'x'.repeat(65 * 1024 * 1024) }))).toEqual([
    413,
    INVALID,
    '',
  ])
})

test.each([
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
  ['/v1/responses', { input: 'Hi' }],
  ['/v1/images/generations', { prompt: 'A cat' }],
])('a video model at %s', async (path, body) => {
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'vid', ...body }),
  })
  const { error } = (await response.json()) as { error: { message: string; param: string } }
  expect([response.status, error.param]).toEqual([400, 'model'])
  expect(error.message).toContain('/api/v3/contents/generations/tasks')
})
