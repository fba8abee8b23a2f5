// Options that become settings, and the report of options and columns.
import { expect, test } from 'bun:test'
import { all, assembled, cells, option, type Row, readRows, reported } from '../../../test-support/quota-database.ts'
import { MAX_AMOUNT } from '../../money/amount.ts'
import { isBlank } from './columns.ts'
import { exactOf, inNanos, ONE, over, times, whole, written } from './exact.ts'
import { NO_MAIL, OPEN } from './settings.ts'

const SMTP = [
  option('SMTPServer', 'smtp.example.com'),
  option('SMTPAccount', 'me@example.com'),
  option('SMTPToken', 'p@ss word'),
]

const cases: [string, Row[], object][] = [
  ['nothing was changed: anybody may sign up there', [], { registration: { open: true, trial_credit: '0' } }],
  [
    'a closed registration with credit',
    [option('RegisterEnabled', 'false'), option('QuotaForNewUser', '250001')],
    { registration: { open: false, trial_credit: '0.500002' } },
  ],
  [
    'no passwords for new people',
    [option('PasswordRegisterEnabled', 'false')],
    { registration: { open: false, trial_credit: '0' } },
  ],
  [
    'a name',
    [option('SystemName', ' Relay ')],
    { registration: { open: true, trial_credit: '0' }, console: { name: 'Relay' } },
  ],
  [
    'mail',
    SMTP,
    {
      registration: { open: true, trial_credit: '0' },
      mail: { url: 'smtp://me%40example.com:p%40ss%20word@smtp.example.com:587', from: 'me@example.com' },
    },
  ],
  [
    'mail over TLS',
    [...SMTP, option('SMTPPort', '465'), option('SMTPFrom', 'gateway@example.com')],
    {
      registration: { open: true, trial_credit: '0' },
      mail: { url: 'smtps://me%40example.com:p%40ss%20word@smtp.example.com:465', from: 'gateway@example.com' },
    },
  ],
]
test.each(cases)('%s', async (_, options, settings) => {
  const found = await readRows('new-api', { options })
  expect(found.configuration.settings).toEqual(settings as never)
  expect(assembled(found.configuration).mistakes).toEqual([])
  expect(reported(found).includes(`exact options.RegisterEnabled: ${OPEN}`)).toBe(
    JSON.stringify(settings).includes('"open":true'),
  )
  expect(reported(found).join()).not.toContain('p@ss')
})

test('mail that cannot be carried over is named', async () => {
  const found = await readRows('new-api', { options: [option('SMTPServer', 'smtp.example.com')] })
  expect(found.configuration.settings).not.toHaveProperty('mail')
  expect(reported(found)).toContain(`manual options.SMTPServer: ${NO_MAIL}`)
})

test('columns are named where they are set, once for each row', async () => {
  const users = [
    cells('id=1 username=a remark=friend aff_quota=0'),
    cells('id=2 username=b remark= aff_quota=5'),
    cells('id=3 username=c remark=x aff_quota'),
  ]
  const found = await readRows('new-api', { users })
  await all(found.people())
  await all(found.accounts())
  const named = found.findings
    .all()
    .filter(({ path, says }) => path.startsWith('users.') && says !== '' && !path.includes('password'))
  expect(
    named.filter(({ path }) => /remark|aff_quota/.test(path)).map(({ path, count, rows }) => [path, count, ...rows]),
  ).toEqual([
    ['users.remark', 2, 'users 1', 'users 3'],
    ['users.aff_quota', 1, 'users 2'],
  ])
  expect(['', ' ', '0', 0, 'false', null, undefined, '{}', 'x', 1, '0.5'].map(isBlank)).toEqual([
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})

test('amounts beyond a billion USD are no amounts', async () => {
  const huge = '900000000000000000'
  const found = await readRows('new-api', {
    users: [cells(`id=1 username=a status=1 quota=${huge} used_quota=0 group=default`)],
    tokens: [
      cells(`id=1 user_id=1 key=${'k'.repeat(48)} status=1 name=t unlimited_quota=0 remain_quota=${huge} used_quota=1`),
    ],
    redemptions: [
      cells(`id=1 key=${'c'.repeat(32)} status=1 quota=${huge}`),
      cells(`id=2 key=${'d'.repeat(32)} status=1 quota=500000 deleted_at`),
    ],
  })
  expect((await all(found.accounts())).map(({ balance }) => balance)).toEqual([0n])
  expect((await all(found.budgets())).map(({ amount }) => amount)).toEqual([MAX_AMOUNT])
  expect((await all(found.codes())).map(({ id, amount }) => [id, amount])).toEqual([['code:2', 1_000_000_000n]])
})

test('fractions are exact until they are written', () => {
  expect([
    exactOf('1.25'),
    exactOf('2.5e-1'),
    exactOf(0.075),
    exactOf('x'),
    exactOf('-1'),
    exactOf('1/0'),
    exactOf('1/2/3'),
  ]).toEqual([
    { n: 125n, d: 100n },
    { n: 25n, d: 100n },
    { n: 75n, d: 1000n },
    ...[undefined, undefined, undefined, undefined],
  ])
  expect(written(times(exactOf('2.5/0.3') ?? ONE, exactOf('0.3') ?? ONE), 9)).toEqual({ text: '2.5', isExact: true })
  expect(written(over(ONE, whole(3)), 9)).toEqual({ text: '0.333333333', isExact: false })
  expect(written(over(whole(2), whole(3)), 9)).toEqual({ text: '0.666666667', isExact: false })
  expect([inNanos(over(whole(-1), whole(2_000_000_000))), inNanos(over(ONE, whole(2_000_000_000)))]).toEqual([-1n, 1n])
})
