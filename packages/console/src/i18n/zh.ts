// Simplified Chinese: the texts of every page, as in en.ts.

import type { Texts } from './texts.ts'
import { auth } from './zh/auth.ts'
import { common, errors, nav, theme } from './zh/common.ts'
import { connect } from './zh/connect.ts'
import { keys } from './zh/keys.ts'
import { models } from './zh/models.ts'
import { overview } from './zh/overview.ts'
import { playground } from './zh/playground.ts'
import { settings } from './zh/settings.ts'
import { snippets } from './zh/snippets.ts'
import { usage } from './zh/usage.ts'
import { wallet } from './zh/wallet.ts'

export const zh: Texts = {
  common,
  nav,
  theme,
  errors,
  auth,
  settings,
  overview,
  keys,
  connect,
  models,
  usage,
  wallet,
  playground,
  snippets,
}
