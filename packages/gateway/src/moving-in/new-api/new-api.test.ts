// What is particular in a database of new-api, in small ones of ours.
import { describe, expect, test } from 'bun:test'
import {
  all,
  assembled,
  cells,
  option,
  type Row,
  type Rows,
  readRows,
  reported,
} from '../../../test-support/quota-database.ts'
import { UNKNOWN_COLUMN, UNKNOWN_TABLE } from '../quota/columns.ts'
import { RENEWED } from '../quota/credits.ts'
import * as keys from '../quota/keys.ts'
import { UNKNOWN_OPTION } from '../quota/options.ts'
import { DAMAGED } from '../quota/reader.ts'

const SECONDS = Date.UTC(2026, 10, 18, 12) / 1000
const KEY = 'k'.repeat(44)
const user = (id: number, more: Row = {}): Row =>
  cells(`id=${id} username=u${id} password= role=1 status=1 email= quota=500000 used_quota=0 group=default`, more)
const token = (id: number, more: Row = {}): Row => {
  const state = 'status=1 expired_time=-1 remain_quota=0 unlimited_quota=1 used_quota=0 deleted_at'
  const limits = 'model_limits_enabled=0 model_limits= allow_ips= group= cross_group_retry=0 auto_groups='
  return cells(`id=${id} user_id=1 key=${KEY}${id} name=t${id} ${state} ${limits}`, more)
}
const channel = (id: number, more: Row = {}): Row =>
  cells(`id=${id} type=1 key=sk-vendor-${id} status=1 name=c${id} base_url= models=m group=default priority=0`, more)
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
        token(5, { user_id: 'x' }),
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
      `${DAMAGED} tokens 5`,
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

describe('people and money', () => {
  test('damaged and strange rows are listed, and what is right moves', async () => {
    const found = await read({
      users: [
        user(1, { email: 'Ada@Example.com' }),
        user(2, { email: 'ada@example.com', quota: -5 }),
        user(3, { email: 'nobody', quota: 'abc', password: 'plain' }),
        user(4, { status: 2, role: 10 }),
        user(5, { id: 'x' }),
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
