import type { OperateTexts } from '../../i18n/texts.ts'

export const people: OperateTexts['people'] = {
  title: '人员',
}
