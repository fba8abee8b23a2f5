import type { OperateTexts } from '../../i18n/texts.ts'

export const configuration: OperateTexts['configuration'] = {
  title: '配置',
}
