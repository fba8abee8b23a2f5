// The rules, each broken in one place: the simulation is worth something only if it notices every one of them.
import {
  apply,
  type Book,
  type Finish,
  HELD,
  type KeyRow,
  type NodeRow,
  REAPED,
  REVENUE,
  type RequestRow,
  SETTLED,
  SHORTFALL,
  type Verb,
  VOIDED,
} from '../../packages/gateway/src/money/ledger.ts'
import {
  type Command,
  type Event,
  type Settlement,
  type Step,
  step,
} from '../../packages/gateway/src/money/settlement.ts'
import { BROKEN_BUDGETS } from './broken/budgets.ts'
import { BROKEN_LIMITS } from './broken/limits.ts'
import { BROKEN_TASKS } from './broken/tasks.ts'
import { RULES, type Rules } from './rules.ts'

/** The real ledger over a Book that lies. */
const lying = (lie: (book: Book, verb: Verb) => Partial<Book>): Partial<Rules> => ({
  apply: (book, verb) => apply({ ...book, ...lie(book, verb) }, verb),
})

/** The real ledger, after `meddle` has edited the request that a settle or void is about. */
const meddling = (meddle: (request: RequestRow, verb: Finish) => void): Partial<Rules> => ({
  apply(book, verb) {
    const request = verb.verb === 'settle' || verb.verb === 'void' ? book.request(verb.id) : undefined
    if (request && (verb.verb === 'settle' || verb.verb === 'void')) {
      meddle(request, verb)
      book.saveRequest(request)
    }
    return apply(book, verb)
  },
})

/** The real machine, with `change` between it and the driver. */
const twisted = (change: (before: Settlement, event: Event, next: Step) => Step): Partial<Rules> => ({
  step: (state, event, clock) => change(state, event, step(state, event, clock)),
})

const nodeAs = (change: (node: NodeRow, book: Book, verb: Verb) => Partial<NodeRow>, only: Verb['verb']) =>
  lying((book, verb) => ({
    node(nodeId) {
      const node = book.node(nodeId)
      return node && verb.verb === only ? { ...node, ...change(node, book, verb) } : node
    },
  }))

/** A hold, or another verb, sees its key changed; what it saves is the key's real state. */
const keyAs = (seen: Partial<KeyRow>, only: Verb['verb'] = 'hold') =>
  lying((book, verb) => ({
    key(id) {
      const key = book.key(id)
      return key && verb.verb === only ? { ...key, ...seen } : key
    },
    saveKey(row) {
      const key = book.key(row.id)
      if (key) book.saveKey(Object.assign(key, { held: row.held, spent: row.spent }))
    },
  }))

const release: Command = { do: 'release', charged: 0n, spooled: true }

export const BROKEN: Record<string, Partial<Rules>> = {
  'a second settle charges again': meddling((request) => {
    if (request.state === SETTLED) Object.assign(request, { state: HELD, held: 0n, cost: 0n })
  }),
  'an extension that is repeated reserves again': {
    apply: (book, verb) => apply(book, verb.verb === 'extend' ? { ...verb, known: 2n ** 62n } : verb),
  },
  'a hold that is repeated is placed again': lying((book, verb) => ({
    request: (id) => (verb.verb === 'hold' ? undefined : book.request(id)),
    insertRequest: book.saveRequest,
  })),
  'the reaper takes the holds of live nodes': lying((book) => ({
    orphans: (_deadBefore, limit) => book.orphans(Number.MAX_SAFE_INTEGER, limit),
  })),
  'the reaper overlooks holds of earlier epochs': lying((book) => ({
    orphans: (deadBefore, limit) =>
      book.orphans(deadBefore, limit).filter((one) => (book.node(one.nodeId)?.epoch ?? 0) === one.epoch),
  })),
  'the reaper charges nothing': lying((book) => ({
    orphans(deadBefore, limit) {
      const found = book.orphans(deadBefore, limit)
      for (const one of found) one.progress = 0n
      return found
    },
  })),
  'a settlement takes more than the wallet has': {
    apply(book, verb) {
      const result = apply(book, verb)
      const request = verb.verb === 'settle' && result.verdict === 'done' ? book.request(verb.id) : undefined
      const account = request && book.account(request.account)
      const key = request && book.key(request.key)
      if (!request || !account || !key || request.shortfall === 0n) return result
      account.balance -= request.shortfall
      key.spent += request.shortfall
      book.transfer(request.id, account.id, SHORTFALL, request.shortfall)
      Object.assign(request, { cost: request.cost + request.shortfall, shortfall: 0n })
      return result
    },
  },
  'a shortfall is not booked': lying((book) => ({
    transfer: (request, debit, credit, amount) =>
      debit === SHORTFALL ? undefined : book.transfer(request, debit, credit, amount),
  })),
  'a charge is not entered as a transfer': lying((book) => ({
    transfer: (request, debit, credit, amount) =>
      debit > 0n ? undefined : book.transfer(request, debit, credit, amount),
  })),
  "a hold forgets the key's held": {
    apply(book, verb) {
      const result = apply(book, verb)
      const key = verb.verb === 'hold' && result.verdict === 'done' ? book.key(verb.key) : undefined
      if (key) key.held -= result.amount
      return result
    },
  },
  'a hold ignores that its key is deleted': keyAs({ deleted: false }),
  'a hold ignores the cap of its key': keyAs({ cap: undefined }),
  'a settlement beyond its hold ignores the cap of its key': keyAs({ cap: undefined }, 'settle'),
  'a settlement beyond its hold counts a cap that renews as one for all time': keyAs(
    { capPeriod: undefined },
    'settle',
  ),
  'a settlement beyond its hold takes what others hold under the cap': {
    apply(book, verb) {
      const request = verb.verb === 'settle' ? book.request(verb.id) : undefined
      const key = request?.state === HELD ? book.key(request.key) : undefined
      if (!request || !key) return apply(book, verb)
      const others = key.held - request.held
      key.held -= others
      const result = apply(book, verb)
      key.held += others
      return result
    },
  },
  'a settlement takes nothing beyond its hold': {
    apply(book, verb) {
      const request = verb.verb === 'settle' ? book.request(verb.id) : undefined
      if (verb.verb !== 'settle' || request?.state !== HELD || verb.cost <= request.held) return apply(book, verb)
      const result = apply(book, { ...verb, cost: request.held })
      if (result.verdict !== 'done') return result
      const beyond = verb.cost - request.held
      book.transfer(request.id, SHORTFALL, REVENUE, beyond)
      request.shortfall += beyond
      return result
    },
  },
  'a hold ignores that its account is disabled': lying((book, verb) => ({
    account(id) {
      const account = book.account(id)
      return account && verb.verb === 'hold' ? { ...account, disabled: false } : account
    },
    saveAccount(row) {
      const account = book.account(row.id)
      if (account) book.saveAccount(Object.assign(account, { held: row.held, balance: row.balance }))
    },
  })),
  'a hold is placed for a dead node': nodeAs((_node, { now }) => ({ renewedAt: now }), 'hold'),
  'a dead node renews': nodeAs((_node, { now }) => ({ renewedAt: now }), 'renew'),
  'a join takes the nodeId of a live node': nodeAs(() => ({ renewedAt: 0 }), 'join'),
  'a join keeps the epoch': nodeAs(({ epoch }) => ({ epoch: epoch - 1 }), 'join'),
  'any node may end a request': {
    apply(book, verb) {
      if (verb.verb !== 'settle') return apply(book, verb)
      const { nodeId, epoch } = book.request(verb.id) ?? verb
      return apply(book, { ...verb, nodeId, epoch })
    },
  },
  'an owner cannot correct the reaper': {
    apply: (book, verb) =>
      verb.verb === 'settle' && book.request(verb.id)?.state === REAPED
        ? { verdict: 'not_open', amount: 0n, tokens: 0, change: 0n }
        : apply(book, verb),
  },
  'the correction of the reaper charges in full': meddling((request) => {
    if (request.state === REAPED) request.cost = 0n
  }),
  'a void after the reaper refunds nothing': {
    apply(book, verb) {
      const request = verb.verb === 'void' ? book.request(verb.id) : undefined
      if (request?.state !== REAPED) return apply(book, verb)
      book.saveRequest(Object.assign(request, { state: VOIDED }))
      return { verdict: 'done', amount: request.cost, tokens: 0, change: 0n }
    },
  },
  'a rejected extension loses its progress': {
    apply(book, verb) {
      const before = verb.verb === 'extend' ? book.request(verb.id)?.progress : undefined
      const result = apply(book, verb)
      const request = verb.verb === 'extend' && result.verdict !== 'done' ? book.request(verb.id) : undefined
      if (request && before !== undefined) request.progress = before
      return result
    },
  },
  'the last byte leaves before the journal is on disk': twisted((before, _event, next) =>
    before.phase === 'finishing' && next.state.phase === 'spooling'
      ? { state: { phase: 'over' }, commands: [...next.commands, release] }
      : next,
  ),
  'the last byte leaves and nothing is journaled': twisted((before, _event, next) =>
    before.phase === 'finishing' && next.state.phase === 'spooling'
      ? { state: { phase: 'over' }, commands: [release] }
      : next,
  ),
  'the last byte leaves although the journal failed': twisted((_before, event, next) =>
    event.event === 'journal-failed' ? { ...next, commands: [release] } : next,
  ),
  'a hold without an answer is not voided': twisted((_before, event, next) =>
    event.event === 'no-response' && event.verb === 'hold'
      ? { ...next, commands: next.commands.filter((command) => command.do !== 'spool') }
      : next,
  ),
  'a hold without an answer counts as granted': {
    step(state, event, clock) {
      const silent = state.phase === 'holding' && event.event === 'no-response' && event.verb === 'hold'
      const granted = { verdict: 'done', amount: silent ? state.hold.amount : 0n, tokens: 0, change: 0n } as const
      const answer: Event = { event: 'response', verb: 'hold', result: granted, mayDispatch: true }
      return step(state, silent ? answer : event, clock)
    },
  },
  'an extension without an answer counts as granted': {
    step(state, event, clock) {
      const silent = event.event === 'no-response' && event.verb === 'extend'
      const granted: Event = {
        event: 'response',
        verb: 'extend',
        result: { verdict: 'done', amount: 50n, tokens: 0, change: 0n },
      }
      return step(state, silent ? granted : event, clock)
    },
  },
  'output is delivered beyond what is held': {
    step: (state, event, clock) =>
      step(state.phase === 'open' ? { ...state, held: state.held + 30n } : state, event, clock),
  },
  'a node dispatches without a lease': { mayDispatch: () => true },
  'a lease is counted from the answer': { leaseFrom: (_sentAt, answeredAt) => answeredAt },
  'the void of a hold on its way is given up at once': { isApplied: () => true },
  'a journal is thrown away at the start': { replayed: () => [] },
  ...BROKEN_LIMITS,
  ...BROKEN_BUDGETS,
  ...BROKEN_TASKS,
}

export const broken = (name: string): Rules => ({ ...RULES, ...BROKEN[name] })
