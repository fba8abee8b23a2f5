import type * as en from './en/index.ts'

/** Every text of the operators' place. */
export type OperateTexts = typeof en
