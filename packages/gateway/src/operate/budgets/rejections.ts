// Why operations on budgets reject what they are asked.
import { type Field, input, type Nothing, rule } from '../rejection-rules.ts'

export const BUDGET_REJECTIONS = {
  unknown_budget: rule<{ budget: string }>('not_found', ({ budget }) => `Unknown budget id ${budget}.`),
  budget_deleted: rule<Nothing>('conflict', () => 'This budget is deleted. Create a new one.'),
  operators_budget: rule<Nothing>(
    'forbidden',
    () => 'The operator of this gateway has set this budget. Create one of your own with a lower amount.',
  ),
  budget_needs: input<Field & { kind: string }>(({ field, kind }) => `A budget of the kind '${kind}' needs ${field}.`),
  budget_lacks: input<Field & { kind: string }>(
    ({ field, kind }) => `A budget of the kind '${kind}' does not take ${field}.`,
  ),
  hours_only: input<Field>(({ field }) => `${field} goes with the period 'hours'.`),
  hours_needed: input<Field>(({ field }) => `The period 'hours' needs ${field}.`),
  cap_terms: rule<Field>(
    'bad_request',
    ({ field }) => `This is a cap. It has an amount and a period of a day, a week or a month, and no ${field}.`,
  ),
  end_users_off: rule<Field>(
    'conflict',
    ({ field }) => `${field}: this gateway keeps no end users (attribution.end_users is off).`,
  ),
  too_many_budgets: rule<{ most: number }>(
    'conflict',
    ({ most }) => `There are too many budgets: at most ${most} are possible here. Delete some first.`,
  ),
  too_many_together: rule<{ most: number }>(
    'conflict',
    ({ most }) => `At most ${most} budgets count for a request, and so many others apply already where this one would.`,
  ),
  too_many_budget_changes: rule<{ most: number; retryAfter: number }>(
    'too_many_tries',
    ({ most, retryAfter }) =>
      `The budgets of an account can be changed ${most} times per hour. Retry in ${Math.ceil(retryAfter / 60)} min.`,
  ),
} as const
