import { describe, expect, test } from 'bun:test'
import { MAX_AMOUNT } from '../../../src/money/amount.ts'
import { CREDIT, TRIAL } from '../../../src/money/ledger.ts'
import type { SignUp, Storage } from '../../../src/storage/storage.ts'
import { thrownBy, type Use } from '../harness.ts'

const HOME = '192.0.2.1'
const WIDE = '192.0.2.0/24'
const person = (email: string, fields: Partial<SignUp> = {}): SignUp => ({
  email,
  password: undefined,
  network: HOME,
  trialCredit: 10n,
  budget: 100n,
  mostPerNetwork: 3,
  wideNetwork: WIDE,
  wideTrials: 100,
  source: TRIAL,
  onProof: false,
  ...fields,
})
const sought = (email: string, network: string, wideNetwork: string) => ({
  email,
  network,
  wideNetwork,
  mostPerNetwork: 3,
})
const many = (count: number, make: (index: number) => SignUp) =>
  Array.from({ length: count }, (_, index) => make(index))
const elsewhere = (index: number) => ({ network: `198.51.${index}.7`, wideNetwork: `198.51.${index}.0/24` })

/** What each of them got, in words. */
async function signUpAll(storage: Storage, people: readonly SignUp[]): Promise<string[]> {
  const answers = await Promise.all(people.map((each) => storage.accounts.signUp(each)))
  return answers.map((answer) => (typeof answer === 'string' ? answer : `made with ${answer.trialCredit}`)).sort()
}
const times = (count: number, answer: string): string[] => Array(count).fill(answer)

export function registrationContract(use: Use): void {
  test('a sign-up creates an account with trial credit, booked as such', async () => {
    const { storage, raw } = use()
    const answer = await storage.accounts.signUp(person('Ada+New@example.com', { password: '$argon2id$hash' }))
    expect(answer).toMatchObject({
      person: { email: 'ada+new@example.com', isProved: false, role: undefined },
      account: { name: 'ada+new@example.com', balance: 10n, held: 0n, disabled: false },
      trialCredit: 10n,
    })
    expect(await storage.accounts.findNamed('ada+new@example.com')).toMatchObject([{ balance: 10n }])
    const [transfer, ...more] = await raw('SELECT debit, amount FROM transfer')
    expect([Number(transfer?.debit), Number(transfer?.amount), more.length]).toEqual([Number(TRIAL), 10, 0])
    expect(await raw('SELECT password FROM credential')).toEqual([{ password: '$argon2id$hash' }])
    expect((await storage.ledger.audit()).ok).toBe(true)
  })

  describe.each([
    ['ada@example.com', 'ADA@example.com'],
    ['ada@example.com', 'ada+again@example.com'],
    ['ada+first@example.com', 'ada+second@example.com'],
    ['ada@gmail.com', 'A.D.A+x@googlemail.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ])('%j and %j are one person', (first, second) => {
    test('with a single sign-up', async () => {
      const { storage } = use()
      await storage.accounts.signUp(person(first))
      expect(await storage.accounts.signUpRejection(sought(second, '198.51.100.1', '198.51.100.0/24'))).toBe('taken')
      expect(await storage.accounts.signUp(person(second, elsewhere(1)))).toBe('taken')
      expect(await storage.accounts.list()).toMatchObject([{ balance: 10n }])
    })

    test('with no sign-up where the operator has created an account before', async () => {
      const { storage } = use()
      await storage.accounts.create(first, 5n, CREDIT)
      expect(await storage.accounts.signUp(person(second))).toBe('taken')
    })
  })

  test('the operator may give one person several accounts', async () => {
    const { storage } = use()
    await storage.accounts.signUp(person('ada@example.com'))
    expect(await storage.accounts.create('ada+work@example.com', 5n, CREDIT)).toMatchObject({ balance: 5n })
    expect(await storage.accounts.create('ada@example.com', 5n, CREDIT)).toBeUndefined()
  })

  test('an address is used up forever, whatever becomes of its person', async () => {
    const { storage, raw } = use()
    await storage.accounts.signUp(person('ada@example.com'))
    await storage.people.setDisabled((await storage.people.find('ada@example.com'))?.id ?? 0n, true)
    expect(await storage.accounts.signUp(person('ada@example.com'))).toBe('taken')
    for (const sql of ['DELETE FROM taken_address', "UPDATE taken_address SET form = 'x'"])
      expect(String(await thrownBy(Promise.resolve().then(() => raw(sql))))).toContain('never released')
    // As if the person had been removed by a later version.
    await raw("UPDATE person SET email = 'removed'")
    expect(await storage.accounts.signUpRejection(sought('ada@example.com', HOME, WIDE))).toBe('taken')
    expect(await storage.accounts.signUp(person('ada@example.com'))).toBe('taken')
  })

  test('three from one network, then tomorrow again', async () => {
    const { storage, raw } = use()
    const people = many(5, (index) => person(`p${index}@example.com`))
    const answers: string[] = []
    for (const each of people) answers.push(...(await signUpAll(storage, [each])))
    expect(answers).toEqual([...times(3, 'made with 10'), ...times(2, 'too_many')])
    expect(await storage.accounts.signUpRejection(sought('new@example.com', HOME, WIDE))).toBe('too_many')
    expect(await storage.accounts.signUpRejection(sought('new@example.com', '192.0.2.2', WIDE))).toBeUndefined()
    expect(await signUpAll(storage, [person('other@example.com', elsewhere(1))])).toEqual(['made with 10'])
    await raw('UPDATE sign_up SET day = day - 1')
    expect(await signUpAll(storage, [person('p3@example.com')])).toEqual(['made with 10'])
    await raw('UPDATE sign_up SET day = day - 1')
    await signUpAll(storage, [person('p4@example.com')])
    // Nothing is known any more of two days ago.
    expect((await raw('SELECT DISTINCT day FROM sign_up')).length).toBe(2)
  })

  test('a rejected sign-up uses up nothing', async () => {
    const { storage, raw } = use()
    await storage.accounts.signUp(person('ada@example.com'))
    const before = await raw('SELECT day, given FROM trial_day')
    for (let index = 0; index < 5; index++)
      expect(await storage.accounts.signUp(person('ada@example.com'))).toBe('taken')
    await signUpAll(storage, [person('b@example.com'), person('c@example.com')])
    expect(await storage.accounts.signUp(person('d@example.com'))).toBe('too_many')
    expect(await storage.accounts.signUpRejection(sought('d@example.com', '192.0.2.2', WIDE))).toBeUndefined()
    expect(BigInt(before[0]?.given as bigint)).toBe(10n)
    expect((await raw('SELECT given FROM trial_day')).map((row) => BigInt(row.given as bigint))).toEqual([30n])
  })

  test('trial credit ends with the budget of the day; accounts do not', async () => {
    const { storage, raw } = use()
    const next = (index: number) => person(`p${index}@example.com`, { budget: 25n, ...elsewhere(index) })
    const answers: string[] = []
    for (const each of many(4, next)) answers.push(...(await signUpAll(storage, [each])))
    expect(answers).toEqual([...times(2, 'made with 10'), ...times(2, 'made with 0')])
    await raw('UPDATE trial_day SET day = day - 1')
    expect(await signUpAll(storage, [next(9)])).toEqual(['made with 10'])
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, accounts: 5, transfers: 3 })
  })

  test.each([
    { credit: 0n, budget: 100n, given: 'made with 0' },
    { credit: 10n, budget: 9n, given: 'made with 0' },
    { credit: 10n, budget: 0n, given: 'made with 0' },
    { credit: 10n, budget: 10n, given: 'made with 10' },
    { credit: MAX_AMOUNT, budget: MAX_AMOUNT, given: `made with ${MAX_AMOUNT}` },
  ])('a trial of $credit under a budget of $budget: $given', async ({ credit, budget, given }) => {
    const { storage } = use()
    const fields = { trialCredit: credit, budget }
    expect(await signUpAll(storage, [person('a@example.com', fields)])).toEqual([given])
  })

  test('of fifty at once in one /24, three get credit, thirty get accounts', async () => {
    const { storage } = use()
    const people = many(50, (index) => person(`p${index}@example.com`, { network: `192.0.2.${index}`, wideTrials: 3 }))
    expect(await signUpAll(storage, people)).toEqual([
      ...times(27, 'made with 0'),
      ...times(3, 'made with 10'),
      ...times(20, 'too_many'),
    ])
    expect(await storage.accounts.signUpRejection(sought('new@example.com', '192.0.2.99', WIDE))).toBe('too_many')
    expect(await storage.accounts.signUp(person('new@example.com', elsewhere(1)))).toMatchObject({ trialCredit: 10n })
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, accounts: 31, transfers: 4 })
  })

  test('an account without trial credit says why', async () => {
    const { storage } = use()
    expect(await storage.accounts.signUp(person('a@example.com'))).toMatchObject({ withheld: undefined })
    expect(await storage.accounts.signUp(person('b@example.com', { wideTrials: 1 }))).toMatchObject({
      withheld: 'network',
    })
    expect(await storage.accounts.signUp(person('c@example.com', { budget: 15n }))).toMatchObject({
      withheld: 'budget',
    })
    const none = person('d@example.com', { trialCredit: 0n, ...elsewhere(1) })
    expect(await storage.accounts.signUp(none)).toMatchObject({ trialCredit: 0n, withheld: undefined })
  })

  test('of fifty at once for one address, one gets it', async () => {
    const { storage } = use()
    const spellings = many(50, (index) => person(`ada+${index}@example.com`, elsewhere(index)))
    expect(await signUpAll(storage, spellings)).toEqual(['made with 10', ...times(49, 'taken')])
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, accounts: 1, transfers: 1 })
  })

  test('of fifty at once from one network, three get in', async () => {
    const { storage } = use()
    const people = many(50, (index) => person(`p${index}@example.com`))
    expect(await signUpAll(storage, people)).toEqual([...times(3, 'made with 10'), ...times(47, 'too_many')])
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, accounts: 3, transfers: 3 })
  })

  test('of fifty at once under one budget, ten get credit and all get accounts', async () => {
    const { storage } = use()
    const people = many(50, (index) => person(`p${index}@example.com`, { budget: 105n, ...elsewhere(index) }))
    expect(await signUpAll(storage, people)).toEqual([...times(40, 'made with 0'), ...times(10, 'made with 10')])
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, accounts: 50, transfers: 10 })
  })

  test('the operator and a sign-up use one address at once: one gets it', async () => {
    const { storage } = use()
    for (let round = 0; round < 10; round++) {
      const email = `p${round}@example.com`
      const both = [
        storage.accounts.create(email, 5n, CREDIT),
        storage.accounts.signUp(person(email, elsewhere(round))),
      ]
      const made = (await Promise.all(both)).filter((answer) => answer !== undefined && answer !== 'taken')
      expect(made).toHaveLength(1)
    }
  })

  test('values that cannot be stored are rejected', async () => {
    const { storage } = use()
    const wrong: Partial<SignUp>[] = [
      { email: 'a\0b@example.com' },
      { network: 'a\0b' },
      { wideNetwork: 'a\0b' },
      { wideNetwork: HOME },
      { password: 'a\ud800' },
      { trialCredit: -1n },
      { budget: MAX_AMOUNT + 1n },
    ]
    for (const fields of wrong)
      expect(await thrownBy(storage.accounts.signUp(person('a@example.com', fields)))).toBeInstanceOf(Error)
    expect((await storage.ledger.audit()).accounts).toBe(0)
  })
}
