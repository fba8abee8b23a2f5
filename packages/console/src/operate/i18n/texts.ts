/** Every text of the operators' place. */
export type OperateTexts = typeof import('./index.ts')
