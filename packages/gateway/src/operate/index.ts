// Every operation by its name: what the files of the nouns export. A new one needs no line here, a new file one.

import * as newAccounts from './accounts/create.ts'
import * as notes from './accounts/notes.ts'
import * as accounts from './accounts.ts'
import * as alerts from './alerts/alerts.ts'
import * as alertRules from './alerts/rules.ts'
import * as alertTargets from './alerts/targets.ts'
import * as auditLog from './audit-log.ts'
import * as budgets from './budgets/budgets.ts'
import * as manyAccounts from './bulk/accounts.ts'
import * as importAccounts from './bulk/import-accounts.ts'
import * as manyKeys from './bulk/keys.ts'
import * as priceImpact from './catalogue/price-impact.ts'
import * as codes from './codes.ts'
import * as allEntries from './configuration/all-entries.ts'
import * as exchange from './configuration/exchange.ts'
import { groups, models, upstreams } from './configuration/index.ts'
import * as revisions from './configuration/revisions.ts'
import * as settings from './configuration/settings.ts'
import * as upstreamKeys from './configuration/upstream-keys.ts'
import * as credits from './credits.ts'
import * as doctor from './doctor/doctor.ts'
import * as keys from './keys.ts'
import * as audit from './ledger/audit.ts'
import * as auditRuns from './ledger/audit-runs.ts'
import * as books from './ledger/books.ts'
import * as notices from './notices/notices.ts'
import type { Operation } from './operation.ts'
import * as overview from './overview/overview.ts'
import * as adminKeys from './people/admin-keys.ts'
import * as invitations from './people/invitations.ts'
import * as people from './people/people.ts'
import * as roles from './people/roles.ts'
import * as sessions from './people/sessions.ts'
import * as pricePreview from './previews/price-preview.ts'
import * as priceProposals from './previews/price-proposals.ts'
import * as routePreview from './previews/route-preview.ts'
import * as prices from './prices.ts'
import * as rejectedRequests from './rejected-requests.ts'
import * as find from './reports/find.ts'
import * as requests from './reports/requests.ts'
import * as search from './reports/search.ts'
import * as session from './reports/session.ts'
import * as spend from './reports/spend.ts'
import * as statement from './reports/statement.ts'
import * as tasks from './reports/tasks.ts'
import * as transfers from './reports/transfers.ts'
import * as usage from './reports/usage.ts'
import * as mailTest from './system/mail-test.ts'
import * as cluster from './system/nodes.ts'
import * as serverState from './system/server-state.ts'
import * as system from './system/system.ts'
import * as refund from './traffic/refund.ts'
import * as taskActs from './traffic/task-acts.ts'
import * as certify from './upstreams/certify.ts'
import * as drafts from './upstreams/drafts.ts'
import * as upstreamFigures from './upstreams/figures.ts'
import * as upstreamKinds from './upstreams/kinds.ts'
import * as upstreamModels from './upstreams/models.ts'
import * as upstreamState from './upstreams/state.ts'
import * as switches from './upstreams/switches.ts'
import * as upstreamTest from './upstreams/test.ts'
import * as ownUsage from './usage.ts'

const NOUNS = [
  accounts,
  newAccounts,
  notes,
  notices,
  auditLog,
  budgets,
  manyAccounts,
  importAccounts,
  manyKeys,
  priceImpact,
  codes,
  allEntries,
  exchange,
  revisions,
  settings,
  upstreamKeys,
  credits,
  doctor,
  keys,
  auditRuns,
  audit,
  books,
  alertRules,
  alertTargets,
  alerts,
  cluster,
  mailTest,
  serverState,
  system,
  overview,
  adminKeys,
  invitations,
  people,
  roles,
  sessions,
  pricePreview,
  priceProposals,
  routePreview,
  prices,
  rejectedRequests,
  find,
  requests,
  search,
  session,
  spend,
  statement,
  tasks,
  transfers,
  usage,
  refund,
  taskActs,
  certify,
  drafts,
  upstreamFigures,
  upstreamKinds,
  upstreamModels,
  upstreamState,
  switches,
  upstreamTest,
  ownUsage,
  groups,
  models,
  upstreams,
] as const

type Exported<Noun> = Noun extends object ? Noun[keyof Noun] : never
type Known = Extract<Exported<(typeof NOUNS)[number]>, { name: string; permission: unknown }>
export type OperationName = Known['name']

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'permission' in value && 'run' in value

export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  NOUNS.flatMap((noun) => Object.values<unknown>(noun).filter(isOperation)).map((each) => [each.name, each]),
)
