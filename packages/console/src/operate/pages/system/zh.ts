import type { OperateTexts } from '../../i18n/texts.ts'

export const system: OperateTexts['system'] = {
  title: '系统',
}
