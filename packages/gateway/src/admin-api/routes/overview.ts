// What operators open first: the state of the gateway, and a search.
import { showOverview } from '../../administration/overview/overview.ts'
import { searchAll } from '../../administration/reports/search.ts'
import { FOUND, OVERVIEW } from '../../administration/resources/overview.ts'
import type { AdminRoutes } from './route.ts'

export const OVERVIEW_ROUTES = {
  'GET overview': {
    operation: showOverview,
    summary:
      'Shows the state of the gateway: what needs an operator, figures, outcomes over time, the largest accounts',
    output: OVERVIEW,
    isShared: true,
  },
  'GET search': {
    operation: searchAll,
    summary: 'Searches by email address, name, id or the end of a secret; returns at most 10 matches',
    output: FOUND,
    list: true,
    example: { query: 'q=sandbox' },
  },
} as const satisfies AdminRoutes
