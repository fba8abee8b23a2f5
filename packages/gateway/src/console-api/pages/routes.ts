// The routes behind the console's pages, for ../routes.ts.
import type { ConsoleDependencies } from '../dependencies.ts'
import { fields, integer, list, nullable, optional, text, word } from '../fields.ts'
import { type ConsoleRoute, route } from '../route.ts'
import { showBreakdown } from './breakdown.ts'
import { csvResponse } from './csv.ts'
import { listGroups } from './groups.ts'
import { changeKey, createKey, deleteKey, keyRows, listKeys, rotateKey, showKey } from './keys.ts'
import { listModelNames, listModelSquare, offersOfGroup } from './models.ts'
import { showOverview } from './overview.ts'
import { forwardToGateway, playgroundKey } from './playground.ts'
import { redeemCode } from './redeem.ts'
import * as shapes from './shapes.ts'
import { listRequests, requestLines, showRequestReceipt, showSeries, type UsagePageDependencies } from './usage.ts'
import { listHistory, listStatements, showWallet, statementLines } from './wallet.ts'

const LIMIT = nullable(integer({ min: 1, max: 1_000_000_000 }))
const NAME = text({ max: 200 })
const TERMS = {
  group: optional(text({ max: 200 })),
  cap_usd: optional(nullable(text({ max: 30 }))),
  cap_period: optional(nullable(word('day', 'week', 'month'))),
  expires_at: optional(nullable(text({ max: 40 }))),
  models: optional(nullable(list(text({ max: 300 }), 100))),
  networks: optional(nullable(list(text({ max: 100 }), 100))),
  limits: optional(fields({ rpm: optional(LIMIT), tpm: optional(LIMIT), concurrent: optional(LIMIT) })),
}
const NEW_KEY = fields({ name: NAME, ...TERMS })
const CHANGE_KEY = fields({ name: optional(NAME), ...TERMS })
const ROTATE_KEY = fields({ grace_seconds: integer({ min: 0, max: 7 * 86_400 }) })
const REDEEM = fields({ code: text({ max: 100 }) })

const SIGNED_IN = { policy: 'session' } as const
const GET = { ...SIGNED_IN, method: 'GET' } as const
const POST = { ...SIGNED_IN, method: 'POST' } as const
const DELETE = { ...SIGNED_IN, method: 'DELETE' } as const

export const PAGE_ROUTES: readonly ConsoleRoute[] = [
  route({
    ...GET,
    path: 'overview',
    returns: shapes.OVERVIEW,
    handle: ({ account }, deps) => showOverview(account, usage(deps)),
  }),

  route({
    ...GET,
    path: 'keys',
    returns: shapes.KEYS,
    handle: ({ account, query }, deps) => listKeys(account, query, deps),
  }),
  route({
    ...POST,
    path: 'keys',
    takes: NEW_KEY,
    returns: shapes.KEY_WITH_SECRET,
    status: 201,
    handle: (call, deps) => createKey(call, call.body, deps),
  }),
  route({
    ...GET,
    path: 'keys/{id}',
    returns: shapes.KEY,
    handle: ({ account, parameters: { id = '' } }, deps) => showKey(account, id, deps),
  }),
  route({
    ...POST,
    path: 'keys/{id}',
    takes: CHANGE_KEY,
    returns: shapes.KEY,
    handle: ({ account, body, parameters: { id = '' } }, deps) => changeKey(account, id, body, deps),
  }),
  route({
    ...POST,
    path: 'keys/{id}/rotate',
    takes: ROTATE_KEY,
    returns: shapes.KEY_WITH_SECRET,
    handle: (call, deps) => rotateKey(call, call.parameters.id ?? '', call.body, deps),
  }),
  route({
    ...DELETE,
    path: 'keys/{id}',
    returns: shapes.KEY,
    handle: ({ account, parameters: { id = '' } }, deps) => deleteKey(account, id, deps),
  }),
  route({
    ...GET,
    path: 'groups',
    returns: shapes.GROUPS,
    handle: async ({ account }, { catalogue, store }) =>
      listGroups(
        catalogue().config,
        await store.accounts.holder(account.id),
        (group) => offersOfGroup(catalogue(), group).length,
      ),
  }),

  route({
    ...GET,
    path: 'models',
    returns: shapes.MODELS,
    handle: async ({ account }, deps) => listModelSquare(await deps.store.accounts.holder(account.id), deps),
  }),
  route({
    ...GET,
    path: 'model-names',
    returns: shapes.MODEL_NAMES,
    handle: async ({ account, query }, deps) =>
      listModelNames(await deps.store.accounts.holder(account.id), query.get('search') ?? '', deps),
  }),

  route({
    ...GET,
    path: 'usage',
    returns: shapes.SERIES,
    handle: ({ account, query }, deps) => showSeries(account, query, usage(deps)),
  }),
  route({
    ...GET,
    path: 'usage/breakdown',
    returns: shapes.BREAKDOWN,
    handle: ({ account, query }, deps) => showBreakdown(account, query, usage(deps)),
  }),
  route({
    ...GET,
    path: 'requests',
    returns: shapes.REQUESTS,
    handle: ({ account, query }, deps) => listRequests(account, query, usage(deps)),
  }),
  route({
    ...GET,
    path: 'requests.csv',
    handle: (call, deps) => csvResponse(call, 'requests', requestLines(call.account, call.query, usage(deps)), deps),
  }),
  route({
    ...GET,
    path: 'requests/{id}',
    returns: shapes.RECEIPT,
    handle: ({ account, parameters: { id = '' } }, deps) => showRequestReceipt(account, id, usage(deps)),
  }),

  route({
    ...GET,
    path: 'wallet',
    returns: shapes.WALLET,
    handle: (call, deps) => showWallet(call, deps),
  }),
  route({
    ...GET,
    path: 'wallet/history',
    returns: shapes.HISTORY,
    handle: ({ account, query }, deps) => listHistory(account, query, deps),
  }),
  route({
    ...GET,
    path: 'wallet/statements',
    returns: shapes.STATEMENTS,
    handle: ({ account }, deps) => listStatements(account, deps),
  }),
  route({
    ...GET,
    path: 'wallet/statements/{month}',
    handle: (call, deps) => {
      const month = (call.parameters.month ?? '').replace(/\.csv$/, '')
      return csvResponse(call, `statement-${month}`, statementLines(call.account, month, deps), deps)
    },
  }),
  route({
    ...POST,
    path: 'wallet/redeem',
    takes: REDEEM,
    returns: shapes.REDEEMED,
    handle: ({ account, body }, deps) => redeemCode(account, body, deps),
  }),

  route({
    ...GET,
    path: 'playground/key',
    returns: shapes.KEY,
    handle: async (call, deps) => {
      const [row] = await keyRows(call.account, [await playgroundKey(call, deps)], deps)
      if (!row) throw new Error('the built-in key has no row')
      return row
    },
  }),
  route({ ...POST, path: 'playground/{path...}', takes: 'unread', handle: forwardToGateway }),
  route({ ...GET, path: 'playground/{path...}', forwards: true, handle: forwardToGateway }),
  route({ ...DELETE, path: 'playground/{path...}', handle: forwardToGateway }),
]

const usage = ({ store, config, clock }: ConsoleDependencies): UsagePageDependencies => ({
  store,
  clock,
  showsUpstreams: () => config().server.showUpstreams,
})
