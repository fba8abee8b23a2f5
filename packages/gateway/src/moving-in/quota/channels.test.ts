// Channels of both programs as upstreams and routes, in small databases of ours.
import { describe, expect, test } from 'bun:test'
import {
  assembled,
  cells,
  option,
  type QuotaProduct,
  type Row,
  readRows,
  reported,
} from '../../../test-support/quota-database.ts'
import { BUILT_IN } from '../../server/config.ts'
import * as newApi from '../new-api/channels.ts'
import { EDITS_LEFT_OUT, LEFT_OUT, validConfiguration } from '../valid-configuration.ts'
import { BLANKS } from './channels/channel.ts'
import { BAD_KEY, OFF, OTHER_GROUPS, WEIGHTLESS } from './channels/models.ts'
import { NO_KEY, NO_PLACE } from './channels/places.ts'
import { NOT_THERE } from './read.ts'

const JSON_KEY = '{"type":"service_account","project_id":"my-project"}'
const channel = (id: number, more: Row = {}): Row => {
  const names = `id=${id} type=1 key=sk-vendor-${id} status=1 name=c${id} base_url= other= models=gpt-4o`
  return cells(`${names} group=default model_mapping= priority=0 weight=0 created_time=1795000000`, more)
}

async function read(product: QuotaProduct, channels: readonly Row[], more: Record<string, readonly Row[]> = {}) {
  const found = await readRows(product, { channels, ...more })
  expect(assembled(found.configuration).mistakes).toEqual([])
  const { upstreams, models } = found.configuration
  return { found, upstreams, models, says: reported(found) }
}
const valuesOf = (entries: readonly { value: object }[]) => entries.map(({ value }) => value)
const routesIn = (entries: readonly { value: Readonly<Record<string, unknown>> }[]) =>
  entries.map(({ value }) => value.routes)

describe('types of channels', () => {
  const key = { keys: ['sk-vendor-1'] }
  const cases: [QuotaProduct, string, Row, object[]][] = [
    ['new-api', 'OpenAI', {}, [{ kind: 'openai', ...key }]],
    [
      'new-api',
      'another address',
      { base_url: 'https://x.example/' },
      [{ dialect: 'chat', base_url: 'https://x.example/v1', ...key }],
    ],
    [
      'new-api',
      'a whole URL',
      { type: 8, base_url: 'https://x.example/v1/chat/completions' },
      [{ dialect: 'chat', base_url: 'https://x.example/v1', ...key }],
    ],
    ['new-api', 'DeepSeek, whose number is that of Mistral nowhere', { type: 43 }, [{ kind: 'deepseek', ...key }]],
    ['one-api', 'DeepSeek', { type: 36 }, [{ kind: 'deepseek', ...key }]],
    ['new-api', 'Mistral', { type: 42 }, [{ kind: 'mistral', ...key }]],
    ['one-api', 'Mistral', { type: 28 }, [{ kind: 'mistral', ...key }]],
    ['one-api', 'Groq', { type: 29 }, [{ kind: 'groq', ...key }]],
    ['one-api', 'Together', { type: 39 }, [{ kind: 'together', ...key }]],
    ['new-api', 'a vendor in China', { type: 25 }, [{ kind: 'moonshot', region: 'china', ...key }]],
    [
      'new-api',
      'a vendor behind a proxy',
      { type: 45, base_url: 'https://x.example' },
      [{ kind: 'ark', base_url: 'https://x.example/api/v3', ...key }],
    ],
    ['one-api', 'Ollama without a key', { type: 30, key: '' }, [{ kind: 'ollama', keys: ['none'] }]],
    [
      'one-api',
      'any service of the chat protocol',
      { type: 50, base_url: 'https://x.example/v1' },
      [{ dialect: 'chat', base_url: 'https://x.example/v1', ...key }],
    ],
    [
      'new-api',
      'Cloudflare',
      { type: 39, other: 'acc' },
      [{ dialect: 'chat', base_url: 'https://api.cloudflare.com/client/v4/accounts/acc/ai/v1', ...key }],
    ],
    [
      'new-api',
      'Azure',
      { type: 3, base_url: 'https://a.example', other: '2025-01-01' },
      [{ kind: 'azure-classic', base_url: 'https://a.example/openai', api_version: '2025-01-01', ...key }],
    ],
    [
      'new-api',
      'Amazon by an API key',
      { type: 33, key: 'abc|us-east-1', settings: '{"aws_key_type":"api_key"}', models: 'claude-3-opus-20240229' },
      [{ kind: 'bedrock-invoke', region: 'us-east-1', keys: ['abc'] }],
    ],
    [
      'new-api',
      'Vertex by an API key',
      { type: 41, settings: '{"vertex_key_type":"api_key"}', models: 'gemini-2.5-pro' },
      [{ kind: 'vertex-express', ...key }],
    ],
  ]
  test.each(cases)('%s: %s', async (product, _, row, expected) => {
    expect(valuesOf((await read(product, [channel(1, row)])).upstreams)).toEqual(expected)
  })

  const none: [QuotaProduct, string, Row, string][] = [
    ['new-api', 'Midjourney', { type: 2 }, 'not_supported channels: There is no upstream for Midjourney.'],
    ['one-api', 'the same number', { type: 34 }, 'not_supported channels: There is no upstream for Coze.'],
    [
      'new-api',
      'a number of a later version',
      { type: 99 },
      'not_supported channels: The type of this channel is not known.',
    ],
    ['new-api', 'no key', { key: '' }, `not_supported channels: ${NO_KEY}`],
    ['new-api', 'a key that no header can have', { key: 'a b' }, `manual channels.key: ${BAD_KEY}`],
    ['new-api', 'keys of Amazon in another form', { type: 33, key: 'a|b' }, `not_supported channels: ${NO_PLACE}`],
    ['new-api', 'no credential of Google', { type: 41, key: 'x' }, `not_supported channels: ${NO_PLACE}`],
    [
      'one-api',
      'a URL in another form',
      { type: 50, base_url: 'https://x.example/api' },
      `not_supported channels: ${NO_PLACE}`,
    ],
    ['new-api', 'Azure without a URL', { type: 3 }, `not_supported channels: ${NO_PLACE}`],
  ]
  test.each(none)('%s, %s: named', async (product, _, row, expected) => {
    const { upstreams, models, says } = await read(product, [channel(1, row)])
    expect([upstreams, models]).toEqual([[], []])
    expect(says).toContain(expected)
  })

  test('each credential of a cloud is an upstream, and Claude has one of its own', async () => {
    const { upstreams, models } = await read('new-api', [
      channel(1, {
        type: 33,
        key: 'A|s|eu-west-1\nB|t|us-west-2',
        channel_info: '{"is_multi_key":true}',
        models: 'claude-3-5-sonnet-20241022,nova-pro',
      }),
      channel(2, {
        type: 41,
        key: `[${JSON_KEY}]`,
        other: '{"default":"europe-west4"}',
        models: 'gemini-2.5-pro,claude-sonnet-5',
      }),
    ])
    expect(upstreams.map(({ id }) => id)).toEqual(['c1', 'c1-2', 'c2', 'c2-claude'])
    expect(upstreams[1]?.value.auth).toEqual({ type: 'aws', region: 'us-west-2', access_key: 'B', secret_key: 't' })
    expect(upstreams[2]?.value.base_url).toBe(
      'https://europe-west4-aiplatform.googleapis.com/v1/projects/my-project/locations/europe-west4',
    )
    expect(models.map(({ id }) => id)).toEqual(['claude-3-5-sonnet-20241022', 'gemini-2.5-pro', 'claude-sonnet-5'])
    expect(routesIn(models).slice(1)).toEqual([
      [{ upstream: 'c2', priority: 1, weight: 10 }],
      [{ upstream: 'c2-claude', priority: 1, weight: 10 }],
    ])
    expect((routesIn(models)[0] as { model: string }[]).map(({ model }) => model)).toEqual([
      'anthropic.claude-3-5-sonnet-20241022-v2:0',
      'us.anthropic.claude-3-5-sonnet-20241022-v2:0',
    ])
  })

  test('images have an upstream of their own where the protocol differs', async () => {
    const { upstreams, models } = await read('new-api', [
      channel(1, {
        base_url: 'https://x.example',
        models: 'gpt-image-1,gpt-4o,text-embedding-3-small,mj_imagine,sora-2',
      }),
    ])
    expect(upstreams.map(({ id, value }) => [id, value.dialect])).toEqual([
      ['c1-images', 'images'],
      ['c1', 'chat'],
    ])
    expect(models.map(({ id, value }) => [id, value.type])).toEqual([
      ['gpt-image-1', 'image'],
      ['gpt-4o', undefined],
      ['text-embedding-3-small', 'embedding'],
    ])
  })
})

describe('keys and routes', () => {
  test('keys that are off in a channel are left out', async () => {
    const info = JSON.stringify({
      is_multi_key: true,
      multi_key_size: 3,
      multi_key_status_list: { '1': 2 },
      multi_key_mode: 'random',
    })
    const { upstreams, says } = await read('new-api', [channel(1, { key: 'a\nb\nc', channel_info: info })])
    expect(upstreams[0]?.value.keys).toEqual(['a', 'c'])
    expect(says).toContain(`approximate channels.channel_info: ${newApi.KEY_OFF}`)
  })

  test('a higher priority there is a lower number here; off channels get no requests', async () => {
    const rows = [
      channel(1, { priority: -5, weight: 3 }),
      channel(2, { priority: 10 }),
      channel(3, { priority: 10, status: 3 }),
      channel(4, { models: 'only-off', status: 2 }),
    ]
    const { models, upstreams, says } = await read('new-api', rows)
    expect(routesIn(models)).toEqual([
      [
        { upstream: 'c1', priority: 3, weight: 13 },
        { upstream: 'c2', priority: 1, weight: 10 },
        { upstream: 'c3', priority: 1, weight: 0 },
      ],
    ])
    expect(upstreams).toHaveLength(4)
    // A group that only a channel which is off serves has nothing.
    const { found } = await read('new-api', [...rows, channel(5, { group: 'vip', status: 2 })])
    expect(found.configuration.groups.map(({ id }) => id)).toEqual(['default'])
    expect(says).toEqual(
      expect.arrayContaining([`manual channels.status: ${WEIGHTLESS}`, `manual channels.status: ${OFF}`]),
    )
    // one-api gives all channels of one priority the same share.
    expect(routesIn((await read('one-api', rows)).models)[0]).toEqual([
      { upstream: 'c1', priority: 3, weight: 1 },
      { upstream: 'c2', priority: 1, weight: 1 },
      { upstream: 'c3', priority: 1, weight: 0 },
    ])
  })

  test('names are mapped to the last one, deployments of old channels have no dots, blanks go', async () => {
    const { models, says } = await read('new-api', [
      channel(1, { models: ' gpt-4o, spaced-model ,,a b', model_mapping: '{"gpt-4o":"x","x":"y","y":"gpt-4o"}' }),
      channel(2, { type: 3, base_url: 'https://a.example', models: 'gpt-4.1', created_time: 1 }),
    ])
    expect(models.map(({ id, value }) => [id, (value.routes as object[])[0]])).toEqual([
      ['gpt-4o', { upstream: 'c1', model: 'y', priority: 1, weight: 10 }],
      ['spaced-model', { upstream: 'c1', priority: 1, weight: 10 }],
      ['gpt-4.1', { upstream: 'c2', model: 'gpt-41', base_model: 'gpt-4.1', priority: 1, weight: 10 }],
    ])
    expect(says).toContain(`approximate channels.models: ${BLANKS}`)
    expect(says.join()).toContain('The name of the model has blanks')
  })

  test('overrides are what a route sets; what cannot be is named', async () => {
    const { models, upstreams, says } = await read('new-api', [
      channel(1, {
        open_ai_organization: 'org',
        param_override: JSON.stringify({
          operations: [
            { path: 'temperature', mode: 'set', value: 0.5 },
            { path: 'user', mode: 'delete' },
            { path: 'x', mode: 'append', value: 1 },
          ],
        }),
        header_override: JSON.stringify({ 'X-A': 'b', 'X-B': '{api_key}' }),
        setting: JSON.stringify({
          proxy: 'http://proxy.example:3128',
          system_prompt: 'Be brief.',
          force_format: true,
          thinking_to_content: false,
        }),
      }),
      channel(2, { models: 'm2', setting: '{"proxy":"socks5://x:1"}', param_override: '{broken' }),
    ])
    expect(upstreams.map(({ value }) => value.proxy)).toEqual(['http://proxy.example:3128', undefined])
    expect(routesIn(models)[0]).toEqual([
      {
        upstream: 'c1',
        priority: 1,
        weight: 10,
        set: { temperature: 0.5 },
        drop: ['user'],
        headers: { set: { 'OpenAI-Organization': 'org', 'X-A': 'b' } },
        system: { before: 'Be brief.' },
      },
    ])
    expect(says).toEqual(
      expect.arrayContaining([
        `manual channels.param_override: ${newApi.OVERRIDE}`,
        `manual channels.header_override: ${newApi.OVERRIDE}`,
        `manual channels.setting: ${newApi.SOCKS}`,
        `approximate channels.setting.system_prompt: ${newApi.SYSTEM_PROMPT}`,
        'not_supported channels.setting.force_format: This setting of the channel does not exist here.',
      ]),
    )
    expect(says.join()).not.toContain('thinking_to_content')
  })

  test('ids of upstreams are names, and differ', async () => {
    const { upstreams } = await read('new-api', [
      channel(1, { name: 'Main Vendor!' }),
      channel(2, { name: 'main vendor' }),
      channel(3, { name: '主线' }),
      channel(4, { name: 'sandbox' }),
    ])
    expect(upstreams.map(({ id }) => id)).toEqual(['main-vendor', 'main-vendor-2', 'channel-3', 'sandbox-4'])
  })

  test('channels of one model that serve other groups are named, and so is what the program serves and this does not', async () => {
    const ability = (group: string, channel_id: number, enabled = 1): Row => ({
      group,
      model: 'gpt-4o',
      channel_id,
      enabled,
    })
    const { found, says } = await read('new-api', [channel(1, { group: 'default,vip' }), channel(2)], {
      abilities: [ability('default', 1), ability('vip', 1), ability('vip', 2), ability('svip', 2, 0)],
    })
    expect(says).toContain(`approximate channels.group: ${OTHER_GROUPS}`)
    expect(
      found.findings
        .all()
        .filter(({ path }) => path === 'abilities')
        .map(({ says: why, rows }) => [why, ...rows]),
    ).toEqual([[NOT_THERE, 'vip gpt-4o channels 2']])
  })
})

describe('a configuration that is not possible', () => {
  test('loses the edits that are in the way, then the entry, and what only that served', async () => {
    const found = await readRows('new-api', {
      options: [option('ModelRatio', { a: 1, b: 1 })],
      channels: [
        channel(1, { models: 'a', param_override: '{"model":"x"}' }),
        channel(2, { models: 'b', type: 3, base_url: 'not a url', other: 'bad version!' }),
      ],
    })
    expect(assembled(found.configuration).mistakes.length).toBeGreaterThan(1)
    const valid = validConfiguration(found.configuration, BUILT_IN, found.findings)
    expect(assembled(valid).mistakes).toEqual([])
    expect(valid.upstreams.map(({ id }) => id)).toEqual(['c1'])
    expect(routesIn(valid.models)).toEqual([[{ upstream: 'c1', priority: 1, weight: 10 }]])
    expect(valid.groups.find(({ id }) => id === 'default')?.value.models).toEqual(['a'])
    const manual = reported(found).filter((line) => line.startsWith('manual channels '))
    expect(manual.some((line) => line.startsWith(`manual channels 1: ${EDITS_LEFT_OUT}`))).toBe(true)
    expect(manual.some((line) => line.startsWith(`manual channels 2: ${LEFT_OUT}`))).toBe(true)
  })
})
