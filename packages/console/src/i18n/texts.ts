import type { en } from './en.ts'

/** Every text of the console. */
export type Texts = typeof en
