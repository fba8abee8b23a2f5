// Every route of the admin API, below /admin/v1/. Amounts are decimal USD as text, times are ISO 8601 in UTC, ids are text.
import { ACCOUNT_ROUTES } from './accounts.ts'
import { CATALOGUE_ROUTES } from './catalogue.ts'
import { CONFIGURATION_ROUTES } from './configuration.ts'
import { OPERATING_ROUTES } from './operating.ts'
import { OVERVIEW_ROUTES } from './overview.ts'
import { PEOPLE_ROUTES } from './people.ts'
import type { AdminRoutes } from './route.ts'
import { SYSTEM_ROUTES } from './system.ts'
import { TRAFFIC_ROUTES } from './traffic.ts'
import { UPSTREAM_OPERATION_ROUTES } from './upstream-operations.ts'

export const ADMIN_ROUTES: AdminRoutes = {
  ...OVERVIEW_ROUTES,
  ...ACCOUNT_ROUTES,
  ...PEOPLE_ROUTES,
  ...OPERATING_ROUTES,
  ...CATALOGUE_ROUTES,
  ...CONFIGURATION_ROUTES,
  ...UPSTREAM_OPERATION_ROUTES,
  ...TRAFFIC_ROUTES,
  ...SYSTEM_ROUTES,
}
