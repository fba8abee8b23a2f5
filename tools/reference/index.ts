// All that is generated: npm run reference writes it, reference.test.ts compares it with the files.

import { CHART_PAGE } from '../deploy/chart-values.ts'
import { ARCHITECTURE_PICTURE } from '../structure/picture.ts'
import type { Generated } from './generated.ts'
import { API_PAGE } from './pages/api.ts'
import { CERTIFIED_PAGE } from './pages/certified.ts'
import { CLIENT_PAGES } from './pages/clients.ts'
import { COMMAND_LINE_PAGE } from './pages/command-line.ts'
import { CONFIGURATION_PAGE } from './pages/configuration.ts'
import { DATABASE_PAGE } from './pages/database.ts'
import { ENVIRONMENT_PAGE } from './pages/environment.ts'
import { ERRORS_PAGE } from './pages/errors.ts'
import { LIMITS_PAGE } from './pages/limits.ts'
import { LLMS } from './pages/llms.ts'
import { METRICS_PAGE } from './pages/metrics.ts'
import { RECEIPTS_PAGE } from './pages/receipts.ts'
import { TRANSLATION_PAGE } from './pages/translation.ts'
import { UPSTREAM_KINDS_PAGE } from './pages/upstream-kinds.ts'
import { TABLE_TYPES } from './table-types.ts'

export const GENERATED: readonly Generated[] = [
  ...API_PAGE,
  ...ARCHITECTURE_PICTURE,
  ...CERTIFIED_PAGE,
  ...CHART_PAGE,
  ...CLIENT_PAGES,
  ...COMMAND_LINE_PAGE,
  ...DATABASE_PAGE,
  ...ENVIRONMENT_PAGE,
  ...ERRORS_PAGE,
  ...METRICS_PAGE,
  ...TABLE_TYPES,
  ...UPSTREAM_KINDS_PAGE,
  ...RECEIPTS_PAGE,
  ...CONFIGURATION_PAGE,
  ...LIMITS_PAGE,
  ...TRANSLATION_PAGE,
  ...LLMS,
]
