// What is told, with real stores, a real mail server, a real receiver, and a clock that the tests move: each crossing once.
import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { newBudget, newKey } from '../../contract/storage/harness.ts'
import { STORE_ENGINES } from '../../test-support/clocked-store.ts'
import { CIPHER, NOTICES_START, noticeNode, noticesConfig, USD, useNotices } from '../../test-support/notices.ts'
import { callbackSecret } from '../access/secrets/callback-secret.ts'
import type { Storage } from '../storage/storage.ts'
import { OVERLAP_MS } from './find.ts'
import { tellStatements } from './statements.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe.each([...STORE_ENGINES])('on %s', (engine) => {
  const w = useNotices(engine)
  const {
    storage,
    node,
    find,
    deliver,
    run,
    newAccount,
    newMember,
    spend,
    subjects,
    messages,
    listed,
    audit,
    received,
  } = w
  const OPERATOR = { type: 'command-line', id: '' } as const

  test('a cap is told of at 80 % and once it is used up, each once, however many nodes look and send', async () => {
    const ada = await newAccount('ada@example.com', { cap: 10n * USD, capPeriod: 'day' })
    await storage().notices.setWebhook(ada.account, w.hook)
    const nodes = [node(), node(), node()]
    const all = async () => {
      await Promise.all(nodes.map((each) => each.find()))
      await Promise.all(nodes.map((each) => each.deliver()))
    }
    await spend(ada, 7.999999999)
    await all()
    expect([subjects(), received]).toEqual([[], []])
    await spend(ada, 0.000000001)
    await all()
    await all()
    expect(subjects()).toEqual([
      "ada@example.com: Example AI: 80 % of the spending cap of key 'laptop' (...abcd) is used",
    ])
    expect(
      w.smtp.mails[0]?.text,
    ).toBe(`80 % of the spending cap of key 'laptop' (...abcd) is used: 8.00 USD are spent of 10.00 USD a day.
It begins anew at 2041-05-11 00:00 UTC.

Account: ada@example.com
https://gw.example.com/console/usage

Choose which notices you get:
https://gw.example.com/console/settings/notices
`)
    await spend(ada, 2)
    await all()
    await all()
    expect(subjects().slice(1)).toEqual(["ada@example.com: Example AI: key 'laptop' (...abcd) is stopped"])
    expect(messages().map(({ type }) => type)).toEqual(['notice.budget', 'notice.key'])
    expect(messages()[0]).toEqual({
      type: 'notice.budget',
      timestamp: new Date(NOTICES_START + MINUTE).toISOString(),
      data: {
        id: expect.any(String),
        account_id: String(ada.account),
        kind: 'budget',
        of: 'key',
        budget_id: null,
        key: { id: String(ada.key), name: 'laptop', last_four: 'abcd' },
        member: null,
        model: null,
        value: null,
        amount_usd: '10.00',
        period: 'day',
        every_hours: null,
        spent_usd: '8.00',
        percent: 80,
        is_hard: true,
        begins_anew_at: '2041-05-11T00:00:00.000Z',
      },
    })
    // The next day is another period.
    await w.store.elapse(DAY)
    await spend(ada, 9)
    await all()
    expect(subjects()).toHaveLength(3)
    expect(subjects()[2]).toContain('80 %')
  })

  test('a webhook is signed with the secret of the account', async () => {
    const ada = await newAccount('ada@example.com', { cap: 10n * USD })
    await storage().notices.setWebhook(ada.account, w.hook)
    await spend(ada, 9)
    await run()
    const [{ headers, body } = { headers: new Headers(), body: '' }] = received
    const key = Buffer.from(callbackSecret(ada.account, CIPHER).slice('whsec_'.length), 'base64')
    const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${body}`
    expect(headers.get('webhook-signature')).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    expect(headers.get('webhook-id')).toMatch(/^notice_\d+$/)
  })

  test('budgets are told of at percentages of their own, caps of members to the member, too', async () => {
    const ada = await newAccount('ada@example.com')
    const { account } = ada
    const bob = await newMember(account, 'bob@example.com')
    const cyd = await newMember(account, 'cyd@example.com')
    const bobs = { ...ada, key: (await newKey(storage(), account, { person: bob, name: 'bobs' })).id }
    await storage().members.setCap(account, bob, { cap: 4n * USD, capPeriod: 'month' })
    await storage().members.setCap(account, cyd, { cap: 4n * USD, capPeriod: 'month' })
    const tag = await newBudget(storage(), {
      account,
      kind: 'tag',
      value: 'team=search',
      amount: 10n * USD,
      alerts: [25],
    })
    const soft = await newBudget(storage(), {
      account,
      kind: 'key',
      key: bobs.key,
      amount: 2n * USD,
      alerts: [100],
      hard: false,
    })
    await newBudget(storage(), { account, kind: 'account', amount: 1n, alerts: [], hard: false })
    await spend(bobs, 3.2, [tag.id, soft.id])
    await run()
    expect(subjects().toSorted()).toEqual([
      'ada@example.com: Example AI: 25 % of the budget of tag team=search is used',
      'ada@example.com: Example AI: 80 % of the spending cap of bob@example.com is used',
      "ada@example.com: Example AI: the budget of key 'bobs' is used up",
      'bob@example.com: Example AI: 80 % of the spending cap of bob@example.com is used',
      "bob@example.com: Example AI: the budget of key 'bobs' is used up",
    ])
    expect(w.smtp.mails.find(({ text }) => text.includes("'bobs'"))?.text).toContain(
      '3.20 USD are spent of 2.00 USD in all.\nIt only warns: no request is rejected.',
    )
  })

  test('another amount is another crossing, also one that stops everything at once', async () => {
    const ada = await newAccount('ada@example.com')
    const { account } = ada
    const { id } = await newBudget(storage(), { account, kind: 'account', amount: 100n * USD, alerts: [50, 80, 100] })
    await spend(ada, 60, [id])
    await run()
    await w.store.elapse(2 * OVERLAP_MS)
    await run()
    await storage().budgets.change(id, { amount: 50n * USD })
    await audit('budget change', `budget/${id}`, OPERATOR)
    await run()
    await run()
    expect(subjects()).toEqual([
      'ada@example.com: Example AI: 50 % of the budget of the account is used',
      'ada@example.com: Example AI: the budget of the account is used up',
    ])
  })

  test('a balance is told of at percentages of what it was after a credit, and below what a person has chosen', async () => {
    const ada = await newAccount('ada@example.com', {}, 10n * USD)
    await storage().notices.setWebhook(ada.account, w.hook)
    await storage().people.setPreferences(ada.person, { lowBalance: 5n * USD })
    await run()
    await spend(ada, 6)
    await run()
    await spend(ada, 2)
    await run()
    await spend(ada, 2)
    await run()
    const first = [
      'ada@example.com: Example AI: the balance is 4.00 USD',
      'ada@example.com: Example AI: the balance is 2.00 USD',
      'ada@example.com: Example AI: the balance is used up',
    ]
    expect(subjects()).toEqual(first)
    expect(w.smtp.mails[0]?.text).toContain('less than 5.00 USD, the amount that you have chosen.')
    expect(w.smtp.mails[1]?.text).toContain('80 % of the balance of 10.00 USD is used: 2.00 USD are left.')
    // What one person has chosen is no matter of the account's webhook.
    expect(messages().map(({ data }) => data.percent)).toEqual([80, 100])
    await storage().accounts.credit(ada.account, 20n * USD, 'paid')
    await run()
    await spend(ada, 16)
    await run()
    await run()
    expect(subjects().slice(3)).toEqual([
      'ada@example.com: Example AI: the balance is 4.00 USD',
      'ada@example.com: Example AI: the balance is 4.00 USD',
    ])
  })

  test('who has chosen is told only that, and who has not what the operator set', async () => {
    w.config = noticesConfig(w.smtp.port, 'email: [key], percents: [50%]')
    const ada = await newAccount('ada@example.com', { cap: 10n * USD })
    expect(await storage().members.set(ada.account, { email: 'eve@example.com' }, 'owner')).toBe('done')
    const eve = (await storage().people.find('eve@example.com'))?.id ?? 0n
    await storage().people.setPreferences(eve, { notices: ['budget'], language: 'zh-CN' })
    await spend(ada, 5)
    await run()
    expect(w.smtp.mails.map(({ to, text }) => `${to}: ${text.split('\n')[0]}`)).toEqual([
      'eve@example.com: 密钥“laptop” (...abcd)的消费上限已使用 50%：已消费 5.00 USD，额度为总计 10.00 USD。',
    ])
    await storage().people.setPreferences(eve, { notices: [] })
    await spend(ada, 1)
    await run()
    expect(w.smtp.mails).toHaveLength(1)
    // Nobody is sent anything, and it is listed all the same.
    const bob = await newAccount('bob@example.com', { cap: 10n * USD })
    await spend(bob, 5)
    await run()
    expect(await listed(bob.account)).toMatchObject([{ kind: 'budget', withheld: '', sent: [] }])
  })

  test('people who are disabled, or have not proved their address, are not told', async () => {
    const ada = await newAccount('ada@example.com', { cap: 10n * USD })
    await newMember(ada.account, 'bob@example.com')
    await storage().people.setDisabled(ada.person, true)
    await spend(ada, 9)
    await run()
    expect(w.smtp.mails).toEqual([])
  })

  describe('a key is stopped', () => {
    test('by its expiry, once, and again by another one', async () => {
      const expiresAt = w.store.now() + HOUR
      const ada = await newAccount('ada@example.com', { expiresAt })
      await newKey(storage(), ada.account, { expiresAt, purpose: 'playground' })
      const gone = await newKey(storage(), ada.account, { expiresAt })
      await storage().keys.delete(gone.id)
      await w.store.elapse(HOUR - 1)
      await run()
      expect(w.smtp.mails).toEqual([])
      await w.store.elapse(1)
      await run()
      await w.store.elapse(MINUTE)
      await run()
      expect(subjects()).toEqual(["ada@example.com: Example AI: key 'laptop' (...abcd) is stopped"])
      expect(w.smtp.mails[0]?.text).toStartWith("Key 'laptop' (...abcd) has expired.\n")
      await w.store.elapse(DAY)
      await run()
      // An operator sets a time that is over.
      await storage().keys.setTerms(ada.key, { expiresAt: w.store.now() - DAY / 2 })
      await audit('key limit', `key/${ada.key}`, OPERATOR)
      await run()
      expect(w.smtp.mails).toHaveLength(2)
    })

    test('by an operator, with the reason', async () => {
      const ada = await newAccount('ada@example.com')
      const bob = await newMember(ada.account, 'bob@example.com')
      const key = await newKey(storage(), ada.account, { person: bob, name: 'bobs', lastFour: 'wxyz' })
      await storage().keys.delete(key.id)
      await newKey(storage(), ada.account, { person: bob })
      await audit('key delete', `key/${key.id}`, OPERATOR, 'leaked')
      await audit('account disable', `account/${ada.account}`, { type: 'admin-key', id: '7' })
      await audit('person disable', `person/${bob}`, OPERATOR)
      await audit('key delete', 'key/999999', OPERATOR)
      await run()
      await w.store.elapse(MINUTE)
      await run()
      expect(subjects().toSorted()).toEqual([
        "ada@example.com: Example AI: key 'bobs' (...wxyz) is stopped",
        'ada@example.com: Example AI: keys are stopped',
        'ada@example.com: Example AI: keys are stopped',
        "bob@example.com: Example AI: key 'bobs' (...wxyz) is stopped",
      ])
      expect(w.smtp.mails.map(({ text }) => text.split('\n\n')[0]).toSorted()).toEqual([
        "Key 'bobs' (...wxyz) was deleted.\nReason: leaked",
        "Key 'bobs' (...wxyz) was deleted.\nReason: leaked",
        'The account was disabled by the operator: its keys are rejected.',
        'bob@example.com was disabled by the operator: the keys of this person are rejected.',
      ])
    })

    test('by an owner, which the member is told whose key it was, and nobody else', async () => {
      const ada = await newAccount('ada@example.com')
      const bob = await newMember(ada.account, 'bob@example.com')
      const key = await newKey(storage(), ada.account, { person: bob, name: 'bobs' })
      await storage().keys.delete(key.id)
      await audit('key delete', `key/${key.id}`, { type: 'person', id: String(ada.person) })
      await storage().keys.delete(ada.key)
      await audit('key delete', `key/${ada.key}`, { type: 'person', id: String(ada.person) })
      await run()
      expect(subjects()).toEqual(["bob@example.com: Example AI: key 'bobs' is stopped"])
    })
  })

  test('only what has changed is looked at, however much there is', async () => {
    for (let count = 0; count < 30; count++) {
      const { account } = await newAccount(`idle-${count}@example.com`)
      for (let budget = 0; budget < 10; budget++)
        await newBudget(storage(), { account, kind: 'tag', value: `n=${budget}`, amount: 1n, alerts: [50] })
    }
    const ada = await newAccount('ada@example.com')
    await run()
    await w.store.elapse(HOUR)
    await run()
    await spend(ada, 1)
    const { deps } = node()
    const looked: bigint[] = []
    const notices: Storage['notices'] = {
      ...deps.storage.notices,
      crossables(accounts, since) {
        looked.push(...accounts)
        return storage().notices.crossables(accounts, since)
      },
    }
    await noticeNode(
      () => ({ ...storage(), notices }),
      () => w.config,
    ).find()
    expect(looked).toEqual([ada.account])
  })

  test('a statement that is ready is told once, to those who want it', async () => {
    const ada = await newAccount('ada@example.com')
    const bob = await newAccount('bob@example.com')
    const idle = await newAccount('idle@example.com', {}, 0n)
    for (const { person } of [ada, idle]) await storage().people.setPreferences(person, { notices: ['statement'] })
    await storage().notices.setWebhook(bob.account, w.hook)
    const { deps } = node()
    await tellStatements(deps)
    expect(await listed(ada.account)).toEqual([])
    await w.store.elapse(Date.UTC(2041, 5, 1) - w.store.now())
    await Promise.all([tellStatements(deps), tellStatements(deps)])
    await tellStatements(deps)
    await deliver()
    expect(subjects()).toEqual(['ada@example.com: Example AI: the statement of 2041-05 is ready'])
    expect(messages().map(({ type, data }) => [type, data.account_id, data.month])).toEqual([
      ['notice.statement', String(bob.account), '2041-05'],
    ])
    expect(await listed(idle.account)).toEqual([])
  })

  test('an account that is deleted leaves nothing', async () => {
    const ada = await newAccount('ada@example.com', { cap: 10n * USD })
    await storage().notices.setWebhook(ada.account, w.hook)
    await spend(ada, 9)
    await find()
    expect(await storage().accounts.erase(ada.account, { force: true })).toBe(true)
    await deliver()
    expect([await listed(ada.account), await storage().notices.webhook(ada.account)]).toEqual([[], undefined])
    expect([w.smtp.mails, received]).toEqual([[], []])
  })
})
