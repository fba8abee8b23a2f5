// What is particular in a database of new-api, in small ones of ours.
import { describe, expect, test } from 'bun:test'
import {
  all,
  assembled,
  option,
  type Row,
  type Rows,
  readRows,
  reported,
} from '../../../test-support/quota-database.ts'
import { UNKNOWN_COLUMN, UNKNOWN_TABLE } from '../quota/columns.ts'
import { RENEWED } from '../quota/credits.ts'
import * as keys from '../quota/keys.ts'
import { CHANGED } from '../quota/logs/charges.ts'
import { UNKNOWN_OPTION } from '../quota/options.ts'
import * as people from '../quota/people.ts'
import { MORE } from './charges.ts'

const SECONDS = Date.UTC(2026, 10, 18, 12) / 1000
const KEY = 'k'.repeat(44)
const user = (id: number, more: Row = {}): Row => ({
  ...{ id, username: `u${id}`, password: '', role: 1, status: 1, email: '', quota: 500_000, used_quota: 0 },
  ...{ group: 'default', deleted_at: null, created_at: 1 },
  ...more,
})
const token = (id: number, more: Row = {}): Row => ({
  ...{ id, user_id: 1, key: `${KEY}${id}`, status: 1, name: `t${id}`, expired_time: -1, remain_quota: 0 },
  ...{ unlimited_quota: 1, model_limits_enabled: 0, model_limits: '', allow_ips: '', used_quota: 0, group: '' },
  ...{ cross_group_retry: 0, auto_groups: '', deleted_at: null },
  ...more,
})
const channel = (id: number, more: Row = {}): Row => ({
  ...{
    id,
    type: 1,
    key: `sk-vendor-${id}`,
    status: 1,
    name: `c${id}`,
    weight: 0,
    base_url: '',
    other: '',
    models: 'm',
  },
  ...{
    group: 'default',
    model_mapping: '',
    priority: 0,
    setting: '',
    settings: '',
    channel_info: '',
    created_time: SECONDS,
  },
  ...{ param_override: null, header_override: null, open_ai_organization: null },
  ...more,
})
const read = (rows: Rows) =>
  readRows('new-api', { users: [user(1)], tokens: [token(1)], channels: [channel(1)], ...rows })
const ratios = (more: object = {}) => option('ModelRatio', { m: 1, ...more })

describe('keys', () => {
  const states: [string, Row, string, string | undefined][] = [
    ['a live one', {}, 'live', undefined],
    ['one that is used up', { status: 4, unlimited_quota: 0, remain_quota: -5, used_quota: 10 }, 'live', undefined],
    [
      'one that is marked as used up and has money',
      { status: 4, unlimited_quota: 0, remain_quota: 5 },
      'disabled',
      'tokens.status',
    ],
    ['an unlimited one that is marked as used up', { status: 4, remain_quota: -5 }, 'disabled', 'tokens.status'],
    ['an expired one', { status: 3, expired_time: SECONDS - 1 }, 'expired', undefined],
    ['one that expires now and nobody has called', { expired_time: SECONDS }, 'expired', undefined],
    [
      'one that is marked as expired before its time',
      { status: 3, expired_time: SECONDS + 60 },
      'disabled',
      'tokens.status',
    ],
    ['a disabled one', { status: 2 }, 'disabled', undefined],
  ]
  test.each(states)('%s', async (_, row, state, path) => {
    const found = await read({ tokens: [token(1, row)] })
    expect((await all(found.keys())).map((key) => key.state)).toEqual([state as 'live'])
    expect(found.findings.all().some((finding) => finding.path === 'tokens.status' && finding.says !== '')).toBe(
      path !== undefined,
    )
  })

  test('what cannot be moved is listed with its row, and the rest moves', async () => {
    const found = await read({
      tokens: [
        token(1),
        token(2, { key: 'short' }),
        token(3, { user_id: 99 }),
        token(4, { deleted_at: '2026-11-18 10:00:00' }),
        { ...token(5), user_id: 'x' },
        token(6, { allow_ips: '10.0.0.0/8\nnonsense' }),
        token(7, { allow_ips: 'nonsense' }),
        token(8, { unlimited_quota: 0, remain_quota: -7, used_quota: 3 }),
      ],
    })
    const moved = await all(found.keys())
    expect(moved.map(({ id, networks }) => [id, networks])).toEqual([
      ['token:1', undefined],
      ['token:6', ['10.0.0.0/8']],
      ['token:7', []],
      ['token:8', undefined],
    ])
    expect((await all(found.budgets())).map(({ amount }) => amount)).toEqual([0n])
    const rows = found.findings.all().flatMap((finding) => finding.rows.map((row) => `${finding.says} ${row}`))
    for (const expected of [
      `${keys.TOO_SHORT} tokens 2`,
      `${keys.ORPHAN} tokens 3`,
      `${keys.DELETED_KEY} tokens 4`,
      `${people.DAMAGED} tokens 5`,
      `${keys.BAD_NETWORKS} tokens 7`,
      `${keys.NO_CAP} tokens 8`,
    ])
      expect(rows).toContain(expected)
  })

  test('an empty list of models lets no model be called', async () => {
    const found = await read({
      tokens: [token(1, { model_limits_enabled: 1 }), token(2, { model_limits_enabled: 1, model_limits: ' m ,n' })],
    })
    expect((await all(found.keys())).map(({ models }) => models)).toEqual([[], ['m', 'n']])
  })
})

describe('groups', () => {
  const rows: Rows = {
    options: [
      ratios({ v: 2 }),
      option('GroupRatio', { default: 1, vip: 0.5, staff: 0.1, 专属: 2 }),
      option('GroupGroupRatio', { staff: { vip: 0.3 } }),
      option('UserUsableGroups', { default: '', vip: '', auto: '' }),
      option('AutoGroups', ['default', 'vip']),
      option('group_ratio_setting.group_special_usable_group', { staff: { '+:专属': '', '-:default': '' } }),
    ],
    users: [user(1), user(2, { group: 'staff' })],
    channels: [channel(1, { group: 'default,专属' }), channel(2, { models: 'v', group: 'vip,staff' })],
    tokens: [
      token(1, { group: 'auto' }),
      token(2, { group: 'staff' }),
      token(3, { user_id: 2, group: 'vip' }),
      token(4, { user_id: 2, group: 'auto' }),
      token(5, { user_id: 2, group: '专属' }),
      token(6, { user_id: 2, group: 'default' }),
      token(7, { group: 'auto', auto_groups: '["vip"]' }),
    ],
  }

  test('a pair with a ratio, and each list of the group auto, is a group', async () => {
    const found = await read(rows)
    const [a, b, c, d, e, f, g] = await all(found.keys())
    expect([a, b, c, d, f, g].map((key) => [key?.group, key?.models])).toEqual([
      ['auto', undefined],
      ['staff', []],
      ['vip-for-staff', undefined],
      ['auto-for-staff', undefined],
      ['default', []],
      ['auto-vip-for-default', undefined],
    ])
    expect(e?.group).toMatch(/^group-[0-9a-f]{8}$/)
    const { config, mistakes } = assembled(found.configuration)
    expect(mistakes).toEqual([])
    const multiplier = (group: string | undefined) => config?.groups.get(group ?? '')?.multiplierMillionths
    expect(['auto', 'vip-for-staff', 'auto-for-staff', 'auto-vip-for-default', e?.group].map(multiplier)).toEqual([
      1_000_000n,
      300_000n,
      300_000n,
      500_000n,
      2_000_000n,
    ])
    // The model that only vip has costs half in auto, whose first group costs the whole.
    expect(found.configuration.groups.find(({ id }) => id === 'auto')?.value).toEqual({
      models: ['m', 'v'],
      multiplier: '1',
      prices: { v: { input: '2', output: '2' } },
      console: true,
    })
  })

  test('people may choose what they might choose there', async () => {
    const accounts = await all((await read(rows)).accounts())
    expect(accounts.map(({ groups }) => groups.map((group) => group.replace(/-[0-9a-f]{8}$/, '')))).toEqual([
      ['default', 'vip', 'auto'],
      ['vip-for-staff', 'group', 'staff', 'auto-for-staff'],
    ])
  })
})

describe('prices', () => {
  const priceOf = async (name: string, ...options: Row[]) => {
    const found = await read({ options, channels: [channel(1, { models: name })] })
    expect(assembled(found.configuration).mistakes).toEqual([])
    return {
      price: found.configuration.models[0]?.value.price,
      says: reported(found).filter((line) => line.includes('ModelRatio: ')),
    }
  }
  const cases: [string, string, Row[], unknown][] = [
    ['the table of the program', 'gpt-4o', [], { input: '2.5', output: '10', cached_input: '1.25' }],
    ['the table of options has only its own names', 'gpt-4o', [option('ModelRatio', {})], undefined],
    ['hard-coded output wins', 'o3', [option('CompletionRatio', { o3: 9 })], { input: '2', output: '8' }],
    [
      'but not over names with a slash',
      'x/claude-3-x',
      [option('ModelRatio', { 'x/claude-3-x': 1 }), option('CompletionRatio', { 'x/claude-3-x': 9 })],
      { input: '2', output: '18', cache_write: '2.5', cache_write_1h: '4' },
    ],
    [
      'output that does not win',
      'gpt-4.1',
      [option('CompletionRatio', { 'gpt-4.1': 9 })],
      { input: '2', output: '18', cached_input: '0.5' },
    ],
    ['a fraction', 'gemini-2.5-flash', [], { input: '0.3', output: '2.5' }],
    ['a price in yuan', 'ERNIE-4.0-8K', [], { input: '16.438356164', output: '16.438356164' }],
    ['a budget of thinking', 'gemini-2.5-pro-thinking-1024', [], { input: '1.25', output: '10' }],
    [
      'caches of Claude',
      'claude-opus-4-5-20251101',
      [],
      { input: '5', output: '25', cached_input: '0.5', cache_write: '6.25', cache_write_1h: '10' },
    ],
    ['audio', 'gpt-4o-audio-preview', [], { input: '2.5', output: '10', audio_input: '40', audio_output: '40' }],
    ['images by the token', 'gpt-image-1', [], { input: '5', image_input: '10', image_output: '40' }],
    [
      'images by the call',
      'dall-e-3',
      [option('ModelPrice', { 'dall-e-3': 0.05 })],
      {
        per_image: '0.05',
        variants: {
          '1024x1024/hd': '0.1',
          '1024x1792': '0.1',
          '1024x1792/hd': '0.15',
          '1792x1024': '0.1',
          '1792x1024/hd': '0.15',
        },
      },
    ],
    ['characters', 'tts-1', [], { per_million_characters: '15' }],
    ['embeddings', 'text-embedding-3-large', [], { input: '0.13' }],
    [
      'other units for a USD',
      'gpt-4o',
      [option('QuotaPerUnit', '1000000')],
      { input: '1.25', output: '5', cached_input: '0.625' },
    ],
    ['free', 'm', [option('ModelRatio', { m: 0 })], { input: '0', output: '0' }],
    ['one user', 'whatever', [option('SelfUseModeEnabled', 'true')], { input: '75', output: '75' }],
    ['a small ratio', 'm', [option('ModelRatio', '{"m": 1e-7}')], { input: '0.0000002', output: '0.0000002' }],
  ]
  test.each(cases)('%s', async (_, name, options, price) => {
    expect((await priceOf(name, ...options)).price).toEqual(price as never)
  })

  const tiered = (expression: string) => [
    option('billing_setting.billing_mode', { m: 'tiered_expr' }),
    option('billing_setting.billing_expr', { m: expression }),
  ]
  const long = { above: 200_000, input: '6', output: '22.5', cached_input: '0.6' }
  const expressions: [string, unknown][] = [
    ['tier("base", p * 2 + c * 8 + cr * 0.5)', { input: '2', output: '8', cached_input: '0.5' }],
    ['v1: tier("a, b", 2 * p * 2)', { input: '4', output: '0' }],
    [
      'len <= 200000 ? tier("a", p * 3 + c * 15 + cr * 0.3) : tier("b", p * 6 + c * 22.5 + cr * 0.6)',
      { input: '3', output: '15', cached_input: '0.3', long_context: [long] },
    ],
    [
      'len > 200000 ? tier("b", p * 6 + c * 22.5 + cr * 0.6) : tier("a", p * 3 + c * 15)',
      { input: '3', output: '15', long_context: [long] },
    ],
    [
      'len < 200001 ? tier("a", p * 3 + c * 15 + cr * 0.3) : (len < 5 ? tier("x", p * 1) : tier("b", p * 6 + c * 22.5 + cr * 0.6))',
      { input: '3', output: '15', cached_input: '0.3', long_context: [long] },
    ],
    [
      'len >= 9 ? tier("c", p * 3 + c * 1) : len >= 4 ? tier("b", p * 2 + c * 1) : tier("a", p * 1 + c * 1)',
      {
        input: '1',
        output: '1',
        long_context: [
          { above: 3, input: '2', output: '1' },
          { above: 8, input: '3', output: '1' },
        ],
      },
    ],
    [
      'tier("a", p * 1 + cc * 2 + cc1h * 3 + img * 4 + ai * 5 + ao * 6 + img_o * 7)',
      {
        input: '1',
        output: '0',
        cache_write: '2',
        cache_write_1h: '3',
        image_input: '4',
        audio_input: '5',
        audio_output: '6',
        image_output: '7',
      },
    ],
    ['tier("a", p * 1)|||when(header("x") has "y") * 6', undefined],
    ['(tier("a", p * 1)) * (param("service_tier") == "flex" ? 0.5 : 1)', undefined],
    ['p > 200 ? tier("a", p * 1) : tier("b", p * 2)', undefined],
    ['tier("a", p * 1 + p * 2)', undefined],
    ['tier("a", p * c)', undefined],
    ['tier("a", max(p, 3) * 1)', undefined],
    ['tier("a", p * 1 - c * 1)', undefined],
    ['tier("a", fixed(0.01))', undefined],
    ['', undefined],
  ]
  test.each(expressions)('the expression %j', async (expression, price) => {
    const found = await priceOf('m', ...tiered(expression))
    expect(found.price).toEqual(price as never)
    if (price === undefined) expect(found.says.join()).toContain('manual options.ModelRatio')
  })

  test('a price per call of a text model, and of Whisper, is named', async () => {
    expect((await priceOf('m', option('ModelPrice', { m: 0.01 }))).says.join()).toContain(
      'manual options.ModelRatio: A price per call',
    )
    expect((await priceOf('whisper-1')).says.join()).toContain('manual options.ModelRatio: A price per token')
    expect((await priceOf('ERNIE-4.0-8K')).says.join()).toContain('approximate options.ModelRatio')
  })
})

describe('people and money', () => {
  test('damaged and strange rows are listed, and what is right moves', async () => {
    const found = await read({
      users: [
        user(1, { email: 'Ada@Example.com' }),
        user(2, { email: 'ada@example.com', quota: -5 }),
        user(3, { email: 'nobody', quota: 'abc', password: 'plain' }),
        user(4, { status: 2, role: 10 }),
        { ...user(5), id: 'x' },
      ],
    })
    const found_ = await all(found.people())
    expect(found_.map(({ id, email, disabled, role }) => [id, email, disabled, role])).toEqual([
      ['user:1', 'ada@example.com', false, undefined],
      ['user:2', undefined, false, undefined],
      ['user:3', undefined, false, undefined],
      ['user:4', undefined, true, 'admin'],
    ])
    expect((await all(found.accounts())).map(({ balance }) => balance)).toEqual([
      1_000_000_000n,
      -10_000n,
      0n,
      1_000_000_000n,
    ])
    const manual = found.findings.all().filter(({ grade }) => grade === 'manual')
    expect(manual.flatMap(({ path, rows }) => rows.map((row) => `${path} ${row}`))).toEqual(
      expect.arrayContaining(['users.email users 2', 'users.email users 3', 'users.quota users 3', 'users.id users x']),
    )
  })

  test('what is left of a subscription is credit until it ends', async () => {
    const subscription = (id: number, more: Row) => ({
      id,
      user_id: 1,
      amount_total: 1_000_000,
      amount_used: 250_000,
      status: 'active',
      end_time: SECONDS + 9,
      allow_wallet_overflow: 1,
      ...more,
    })
    const found = await read({
      user_subscriptions: [
        subscription(1, {}),
        subscription(2, { end_time: SECONDS }),
        subscription(3, { status: 'expired' }),
        subscription(4, { amount_used: 1_000_000 }),
        subscription(5, { amount_total: 0, amount_used: 0 }),
        subscription(6, { end_time: 0, amount_used: 0 }),
      ],
    })
    expect((await all(found.accounts()))[0]?.credits).toEqual([
      { id: 'subscription:1', amount: 1_500_000_000n, expiresAt: (SECONDS + 9) * 1000 },
      { id: 'subscription:6', amount: 2_000_000_000n, expiresAt: undefined },
    ])
    expect(reported(found)).toContain(`approximate user_subscriptions: ${RENEWED}`)
  })
})

describe('the log', () => {
  const other = (more: object = {}) =>
    JSON.stringify({
      model_ratio: 1,
      completion_ratio: 1,
      cache_ratio: 1,
      model_price: -1,
      group_ratio: 1,
      user_group_ratio: -1,
      ...more,
    })
  const log = (id: number, more: Row = {}): Row => ({
    ...{ id, user_id: 1, created_at: SECONDS, type: 2, token_id: 1, token_name: 't1', model_name: 'm', quota: 10 },
    ...{ prompt_tokens: 8, completion_tokens: 2, group: 'default', other: other() },
    ...more,
  })

  test('sums by day have failures and refunds, and no row twice', async () => {
    const found = await read({
      logs: [
        log(1),
        log(2, { quota: 30, other: other({ cache_tokens: 5 }) }),
        log(3, { type: 5, quota: 0 }),
        log(4, { type: 6, quota: 4 }),
        log(5, { type: 1, quota: 9_999 }),
        log(6, { token_id: 77, user_id: 78 }),
        log(7, {
          created_at: SECONDS + 86_400,
          other: other({ claude: true, cache_tokens: 100, cache_creation_tokens: 10 }),
        }),
      ],
    })
    const sums = await all(found.usage())
    expect(
      sums.map(({ day, key, person, requests, failed, inputTokens, cachedTokens, outputTokens, cost }) => [
        day,
        key,
        person,
        requests,
        failed,
        inputTokens,
        cachedTokens,
        outputTokens,
        cost,
      ]),
    ).toEqual([
      [20_775, 'token:1', 'user:1', 3, 1, 16, 5, 4, 72_000n],
      [20_775, undefined, undefined, 1, 0, 8, 0, 2, 20_000n],
      [20_776, 'token:1', 'user:1', 1, 0, 118, 100, 2, 20_000n],
    ])
  })

  test('a charge that the price here does not explain says why', async () => {
    const found = await read({
      options: [ratios()],
      logs: [
        log(1),
        log(2, { other: other({ model_ratio: 2 }) }),
        log(3, { other: other({ completion_ratio: 2 }) }),
        log(4, { other: other({ cache_ratio: 0.5 }) }),
        log(5, { other: other({ cache_ratio: 0.5, cache_tokens: 3 }) }),
        log(6, { other: other({ group_ratio: 0.7 }) }),
        log(7, { other: other({ web_search: true }) }),
        log(8, { model_name: 'gone' }),
      ],
    })
    const charges = await all(found.charges(100))
    expect(charges.map(({ special }) => special)).toEqual([
      undefined,
      CHANGED,
      CHANGED,
      undefined,
      CHANGED,
      CHANGED,
      MORE,
      CHANGED,
    ])
    expect(charges[0]).toMatchObject({ from: 'logs 1', group: 'default', charged: 20_000n, rounding: 2_000n })
  })

  test('a sample is spread evenly over a log of any length', async () => {
    const found = await read({
      options: [ratios()],
      logs: Array.from({ length: 1_000 }, (_, at) => log(at + 1, { created_at: SECONDS + at })),
    })
    const numbers = (await all(found.charges(20))).map(({ from }) => Number(from.split(' ')[1]))
    expect(numbers).toHaveLength(20)
    const gaps = numbers.slice(1).map((number, at) => number - (numbers[at] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThan(20)
    expect(Math.max(...gaps)).toBeLessThan(80)
  })
})

test('what is not known is named, and not guessed', async () => {
  const found = await read({
    users: [user(1, { shoe_size: 44 })],
    secret_plans: [{ id: 1 }],
    options: [option('Wishes', 'x')],
  })
  expect(reported(found)).toEqual(
    expect.arrayContaining([
      `manual users.shoe_size: ${UNKNOWN_COLUMN}`,
      `manual secret_plans: ${UNKNOWN_TABLE}`,
      `manual options.Wishes: ${UNKNOWN_OPTION}`,
    ]),
  )
})

test('options that are damaged are named, and the rest is read', async () => {
  const found = await read({
    options: [
      option('ModelRatio', '{broken'),
      option('CacheRatio', { m: -1, n: 'x', o: 0.5 }),
      option('QuotaPerUnit', '0'),
    ],
    channels: [channel(1, { models: 'gpt-4o' })],
  })
  expect(found.configuration.models[0]?.value.price).toEqual({ input: '2.5', output: '10' })
  const manual = found.findings.all().filter(({ grade }) => grade === 'manual')
  expect(manual.map(({ path, rows }) => [path, ...rows])).toEqual([
    ['options.CacheRatio', 'm', 'n'],
    ['options.ModelRatio'],
    ['options.QuotaPerUnit'],
  ])
})
