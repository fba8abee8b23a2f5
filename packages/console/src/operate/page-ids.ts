// The names of the operators' pages, and where they are. Other pages link to them by these.

import { OPERATE } from '../app/operate-path.ts'
import type { OperateTexts } from './i18n/texts.ts'

/** Names the folder in pages/, the texts, which have a title, and the icon. */
export type PageId = {
  [N in keyof OperateTexts]: OperateTexts[N] extends { title: string } ? N : never
}[keyof OperateTexts]

/** `auditLog` is at `/operate/audit-log`. */
export const pathOf = (id: PageId): string =>
  `${OPERATE}/${id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
