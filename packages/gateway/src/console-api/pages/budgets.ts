// Budgets of an account: what operate/budgets does, on behalf of its people.
import {
  changeBudget,
  createBudget,
  deleteBudget,
  listBudgets,
  SHOWN_ID,
  showBudget,
} from '../../operate/budgets/budgets.ts'
import { KINDS_INSIDE, SUBJECT_FIELDS } from '../../operate/budgets/subject.ts'
import { NEW_TERMS, TERM_CHANGES } from '../../operate/budgets/terms.ts'
import { perform } from '../../operate/operation.ts'
import { BUDGET } from '../../operate/resources/budgets.ts'
import { fields, optional, pageOf, word } from '../../request/schema/schema.ts'
import { holderContext, route } from '../route.ts'

const PAGE = 50

export const list = route(
  'GET budgets',
  {
    policy: 'member',
    summary: 'Lists budgets and caps, 50 on a page; to a member, those that apply to them',
    /** `before`: the budget that a page comes after. */
    query: fields({ kind: optional(word(...KINDS_INSIDE)), before: optional(SHOWN_ID) }),
    output: pageOf(BUDGET),
  },
  async (call, deps) => {
    const { before, kind } = call.query
    const input = { account: String(call.account.id), limit: PAGE, ...(kind ? { kind } : {}) }
    const after = before === undefined ? {} : { after: before }
    return await perform(listBudgets, holderContext(call, deps), { ...input, ...after })
  },
)

export const show = route(
  'GET budgets/{id}',
  { policy: 'member', summary: 'Shows a budget or a cap', output: BUDGET },
  showBudget,
)

const { account: _, kind: __, ...SUBJECT } = SUBJECT_FIELDS

export const create = route(
  'POST budgets',
  {
    policy: 'owner',
    summary: 'Creates a budget inside the account',
    body: fields({ kind: word(...KINDS_INSIDE), ...SUBJECT, ...NEW_TERMS }),
    example: { kind: 'tag', value: 'team=search', amount_usd: '50', period: 'day' },
    output: BUDGET,
    status: 201,
  },
  createBudget,
)

export const change = route(
  'POST budgets/{id}',
  {
    policy: 'owner',
    summary: 'Changes a budget of the account; those of the operator stay',
    body: fields(TERM_CHANGES),
    example: { amount_usd: '80' },
    output: BUDGET,
  },
  changeBudget,
)

export const remove = route(
  'DELETE budgets/{id}',
  { policy: 'owner', summary: 'Deletes a budget of the account; those of the operator stay', output: BUDGET },
  deleteBudget,
)
