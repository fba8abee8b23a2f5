// The texts of every page.

export * from './auth.ts'
export * from './budgets.ts'
export * from './common.ts'
export * from './connect.ts'
export * from './keys.ts'
export * from './models.ts'
export * from './overview.ts'
export * from './playground.ts'
export * from './settings.ts'
export * from './snippets.ts'
export * from './usage.ts'
export * from './wallet.ts'
