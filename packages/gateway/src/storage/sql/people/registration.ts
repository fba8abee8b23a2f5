// Sign-up: every condition is part of the statement that depends on it, so that it holds for concurrent sign-ups.
import { MAX_AMOUNT, type Nanos } from '../../../money/amount.ts'
import type { SignedUp, SignUp, SignUpRejection } from '../../accounts.ts'
import { StoreDown } from '../../errors.ts'
import { toPerson } from '../../people/people.ts'
import { checkIdentity, checkText, normaliseEmail } from '../guard.ts'
import { integer, toAccount } from '../rows.ts'
import { type Connection, type Database, required, type Statement, statement } from '../statements.ts'
import { addressForm } from './address-form.ts'
import { newOwnedAccount } from './new-account.ts'

/** A /24 or /48, in which one customer of a provider may have many networks, may make so many times as many accounts. */
const WIDE_FACTOR = 10
const DAY_MS = 86_400_000

/** The address itself is not kept: the row outlives the account. */
const takenForm = (email: string): string => new Bun.CryptoHasher('sha256').update(addressForm(email)).digest('hex')

/** For an account that an operator creates: its address counts as taken from now on. */
export const takenAddress = (db: Database, email: string, now: number): Statement =>
  statement(
    db
      .insertInto('taken_address')
      .values({ form: takenForm(email), at: now })
      .onConflict((conflict) => conflict.column('form').doNothing()),
  )

const takeAddress = (db: Database, form: string, now: number): Statement =>
  required(
    db
      .insertInto('taken_address')
      .values({ form, at: now })
      .onConflict((conflict) => conflict.column('form').doNothing())
      .returning('form'),
  )

/** `most`: of the network and day, this one included. */
const countSignUp = (db: Database, network: string, day: number, most: number): Statement =>
  required(
    db
      .insertInto('sign_up')
      .values({ day, network, accounts: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(['day', 'network'])
          .doUpdateSet((row) => ({ accounts: row('sign_up.accounts', '+', 1) }))
          .where('sign_up.accounts', '<', most),
      )
      .returning('accounts'),
  )

/** `credit` is at most `budget`. Without a budget nothing is counted. */
export const takeFromBudget = (db: Database, now: number, credit: Nanos, budget: Nanos | undefined): Statement[] =>
  budget === undefined || credit === 0n ? [] : [takeWithin(db, dayOf(now), credit, budget)]

const takeWithin = (db: Database, day: number, credit: Nanos, budget: Nanos): Statement =>
  required(
    db
      .insertInto('trial_day')
      .values({ day, given: credit })
      .onConflict((conflict) =>
        conflict
          .column('day')
          .doUpdateSet((row) => ({ given: row('trial_day.given', '+', credit) }))
          .where('trial_day.given', '<=', budget - credit),
      )
      .returning('given'),
  )

/** Networks are kept for as long as they are counted, and no longer. */
const forgetNetworks = (db: Database, day: number): Statement =>
  statement(db.deleteFrom('sign_up').where('day', '<', day - 1))

type Sought = Pick<SignUp, 'email' | 'network' | 'mostPerNetwork' | 'wideNetwork'>

const look = (db: Database, { email, network, wideNetwork }: Sought, day: number): Statement =>
  statement(
    db.selectNoFrom((select) => {
      const accountsOf = (from: string) =>
        select.selectFrom('sign_up').select('accounts').where('day', '=', day).where('network', '=', from)
      return [
        select.selectFrom('taken_address').select('form').where('form', '=', takenForm(email)).as('form'),
        select.selectFrom('person').select('id').where('email', '=', normaliseEmail(email)).as('person'),
        accountsOf(network).as('accounts'),
        accountsOf(wideNetwork).as('wide_accounts'),
        select.selectFrom('trial_day').select('given').where('day', '=', day).as('given'),
      ]
    }),
  )

export function signUps({ db, runner, clock }: Connection) {
  async function lookUp(sought: Sought, now: number) {
    const [row = {}] = await runner.read(look(db, sought, dayOf(now)))
    const { form, person, accounts, wide_accounts, given } = row
    const taken = isThere(form) || isThere(person)
    const wideAccounts = Number(wide_accounts ?? 0)
    const most = sought.mostPerNetwork
    const tooMany = Number(accounts ?? 0) >= most || wideAccounts >= most * WIDE_FACTOR
    return {
      rejection: taken ? ('taken' as const) : tooMany ? ('too_many' as const) : undefined,
      wideAccounts,
      given: isThere(given) ? integer(given) : 0n,
    }
  }

  /** undefined: a condition no longer held; nothing has happened. */
  async function attempt(signUp: SignUp, withheld: SignedUp['withheld'], now: number): Promise<SignedUp | undefined> {
    const { email, network, mostPerNetwork, wideNetwork, password, budget, source, identity } = signUp
    const credit = withheld === undefined ? signUp.trialCredit : 0n
    const trialDue = withheld === 'unproved' ? signUp.trialCredit : 0n
    const mostWide = mostPerNetwork * WIDE_FACTOR
    const mostOfWide = credit + trialDue === 0n ? mostWide : Math.min(signUp.wideTrials, mostWide)
    const day = dayOf(now)
    const owner = { email: normaliseEmail(email), password, isProved: identity !== undefined, trialDue, identity }
    const account = { name: owner.email, credit, source }
    // Always in the same order, so that concurrent sign-ups cannot deadlock.
    const conditions = [
      takeAddress(db, takenForm(email), now),
      countSignUp(db, network, day, mostPerNetwork),
      countSignUp(db, wideNetwork, day, mostOfWide),
      ...takeFromBudget(db, now, credit, budget),
    ]
    const list = [...conditions, ...newOwnedAccount(db, account, owner, now), forgetNetworks(db, day)]
    const rows = await runner.write(list)
    const [person, created] = [rows?.[conditions.length]?.[0], rows?.[conditions.length + 1]?.[0]]
    if (!person || !created) return undefined
    return { person: toPerson(person), account: toAccount(created, now), trialCredit: credit, withheld }
  }

  return {
    /** Why a sign-up would be rejected now: checked before any costly work for an unknown client. */
    async signUpRejection(sought: Sought): Promise<SignUpRejection | undefined> {
      checkText('network', sought.network)
      checkText('wideNetwork', sought.wideNetwork)
      return (await lookUp(sought, clock())).rejection
    },
    /** Limits hold exactly, however many sign up at once. */
    async signUp(person: SignUp): Promise<SignedUp | SignUpRejection> {
      check(person)
      // What was looked up may be outdated when it is written; then it is looked up again, which gives the reason. Addresses
      // are never released and counts only grow, so this ends with a rejection or without credit.
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const now = clock()
        const { rejection, wideAccounts, given } = await lookUp(person, now)
        if (rejection) return rejection
        const done = await attempt(person, withheldFor(person, wideAccounts, given), now)
        if (done) return done
      }
      throw new StoreDown('the database rejected the sign-up without a reason')
    },
  }
}

function withheldFor(person: SignUp, wideAccounts: number, given: Nanos): SignedUp['withheld'] {
  const { trialCredit, budget, wideTrials, onProof } = person
  if (trialCredit === 0n) return undefined
  if (!onProof && budget !== undefined && given + trialCredit > budget) return 'budget'
  if (wideAccounts >= wideTrials) return 'network'
  return onProof ? 'unproved' : undefined
}

const MOST_TRIES = 5

/** UTC. */
const dayOf = (now: number): number => Math.floor(now / DAY_MS)

const isThere = (value: unknown): boolean => value !== null && value !== undefined

function check({ network, wideNetwork, password, trialCredit, budget = 0n, identity }: SignUp): void {
  if (identity) checkIdentity(identity)
  checkText('network', network)
  // Counted in one table: one row would be counted twice.
  if (checkText('wideNetwork', wideNetwork) === network) throw new TypeError('wideNetwork: is the network itself')
  if (password !== undefined) checkText('password', password)
  for (const [field, amount] of Object.entries({ trialCredit, budget }))
    if (amount < 0n || amount > MAX_AMOUNT) throw new RangeError(`${field}: ${amount} is outside 0..${MAX_AMOUNT}`)
}
