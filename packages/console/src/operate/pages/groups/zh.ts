import type { OperateTexts } from '../../i18n/texts.ts'

export const groups: OperateTexts['groups'] = {
  title: '分组',
}
