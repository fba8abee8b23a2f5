import type * as en from './en/index.ts'

/** Every text of the console. */
export type Texts = typeof en
