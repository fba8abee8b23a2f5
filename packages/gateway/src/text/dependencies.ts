// The dependencies of the text journey, created in create-dependencies.ts. Each step names those that it uses.

import type { AuthenticateDependencies } from '../access/authenticate.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { ConversationDependencies } from '../conversations/continue.ts'
import type { AdmitDependencies } from '../paid-call/admit.ts'
import type { ClaimDependencies } from '../paid-call/claim.ts'
import type { ReadDependencies } from '../request/read-json.ts'
import type { RouteDependencies } from './candidates/route.ts'
import type { GatewayToolDependencies } from './gateway-tool.ts'
import type { LowFundsDependencies } from './low-funds.ts'
import type { ReserveDependencies } from './reserve.ts'
import type { StreamDependencies } from './responding/respond-stream.ts'
import type { TranslationDependencies } from './translation/outbound.ts'

export type TextDependencies = {
  /** The configuration in force. A request takes it once and keeps it. */
  catalogue(): Catalogue
} & AuthenticateDependencies &
  AdmitDependencies &
  ConversationDependencies &
  ReadDependencies &
  LowFundsDependencies &
  ClaimDependencies &
  RouteDependencies &
  TranslationDependencies &
  GatewayToolDependencies &
  ReserveDependencies &
  StreamDependencies
