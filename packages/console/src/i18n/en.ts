// English: the texts of every page. zh.ts has the same.

import { auth } from './en/auth.ts'
import { common, errors, nav, theme } from './en/common.ts'
import { connect } from './en/connect.ts'
import { keys } from './en/keys.ts'
import { models } from './en/models.ts'
import { overview } from './en/overview.ts'
import { playground } from './en/playground.ts'
import { settings } from './en/settings.ts'
import { snippets } from './en/snippets.ts'
import { usage } from './en/usage.ts'
import { wallet } from './en/wallet.ts'

export const en = {
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
