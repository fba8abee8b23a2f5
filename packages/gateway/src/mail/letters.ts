// The emails that the gateway sends, in the languages of the console. Plain text: nothing to track, nothing to render.

import type { GatewayRole } from '../storage/people/people.ts'
import type { Letter } from './mailer.ts'

export type Language = 'en' | 'zh'
/** `name`: of the console. */
export type Facts = { name: string; email: string; url: string }

/** `account`: its name. `role`: in the gateway. */
type Invitation = Facts & { account: string | undefined; role: GatewayRole | undefined }

type Letters = Readonly<Record<'verify' | 'reset', (facts: Facts) => Letter>> & {
  readonly invitation: (facts: Invitation) => Letter
}

/** As the console calls them. */
const CHINESE_ROLES: Readonly<Record<GatewayRole, string>> = {
  owner: '所有者',
  admin: '管理员',
  finance: '财务',
  support: '客服',
  viewer: '只读',
}

export const LETTERS: Readonly<Record<Language, Letters>> = {
  en: {
    verify: ({ name, email, url }) => ({
      subject: `Verify your email address for ${name}`,
      text: `An account with the address ${email} was created at ${name}.

Open this link to verify the address. It works once, for 72 hours:

${url}

If you did not create the account, ignore this email.
`,
    }),
    reset: ({ name, email, url }) => ({
      subject: `Reset your password for ${name}`,
      text: `A new password was requested for the account ${email} at ${name}.

Open this link to choose one. It works once, for an hour:

${url}

If you did not request it, ignore this email: your password has not changed.
`,
    }),
    invitation: ({ name, email, url, account, role }) => ({
      subject: `Invitation to ${name}`,
      text: `${email} was invited to ${name}${account === undefined ? '' : `, to join the account "${account}"`}${role === undefined ? '' : `, with the role ${role}`}.

Open this link to accept. It works once, for this address alone:

${url}

If you do not know who invited you, ignore this email.
`,
    }),
  },
  zh: {
    verify: ({ name, email, url }) => ({
      subject: `验证您在 ${name} 的邮箱`,
      text: `有人使用邮箱 ${email} 在 ${name} 注册了账户。

请打开以下链接验证邮箱。链接仅可使用一次，72 小时内有效：

${url}

如果不是您本人注册，请忽略此邮件。
`,
    }),
    reset: ({ name, email, url }) => ({
      subject: `重置您在 ${name} 的密码`,
      text: `有人为 ${name} 的账户 ${email} 申请重置密码。

请打开以下链接设置新密码。链接仅可使用一次，1 小时内有效：

${url}

如果不是您本人申请，请忽略此邮件，您的密码没有改变。
`,
    }),
    invitation: ({ name, email, url, account, role }) => ({
      subject: `${name} 的邀请`,
      text: `${email} 受邀使用 ${name}${account === undefined ? '' : `，加入账户“${account}”`}${role === undefined ? '' : `，角色为“${CHINESE_ROLES[role]}”`}。

请打开以下链接接受邀请。链接仅可使用一次，且仅限此邮箱：

${url}

如果您不认识邀请人，请忽略此邮件。
`,
    }),
  },
}
